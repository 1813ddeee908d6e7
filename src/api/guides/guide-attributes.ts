import type { Guides } from "../../domain/guides/guides.ts";
import type { GuideKind } from "../../schema/guide.ts";
import type { Context } from "../context.ts";

/** The attributes of an issue that its rule's guide fills in: all null where there is none. */
export function guideAttributes({ base }: Pick<Context, "base">, guides: Guides, kind: GuideKind, rule: string | null) {
  const found = rule === null ? undefined : guides.find(kind, rule);
  return {
    description: found?.description.text ?? null,
    description_markdown: found?.description.markdown ?? null,
    description_html: found?.description.html ?? null,
    guide_url: found ? guideUrl(base, kind, found.guide.rule) : null,
  };
}

/** The guide's page, which is beside the API. */
function guideUrl(base: string, kind: GuideKind, rule: string): string {
  return `${base.replace(/\/api\/v1$/, "")}/guides/${kind}/${rule}`;
}
