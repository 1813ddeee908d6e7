import type { CheckKind } from "../../../checks/kinds.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context } from "../../context.ts";

/** The attributes of an issue or a rule that come from the guide to it; all null for a rule without a guide. */
export function guideAttributes({ base }: Pick<Context, "base">, guides: Guides, kind: CheckKind, rule: string | null) {
  const found = rule === null ? undefined : guides.find(kind, rule);
  return {
    description: found?.description.text ?? null,
    description_markdown: found?.description.markdown ?? null,
    description_html: found?.description.html ?? null,
    guide_url: found ? guideUrl(base, kind, found.guide.rule) : null,
  };
}

/** The address of the guide's page, which is not under /api/v1. */
export function guideUrl(base: string, kind: CheckKind, rule: string): string {
  return `${base.replace(/\/api\/v1$/, "")}/guides/${kind}/${rule}`;
}
