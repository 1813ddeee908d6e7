import type { Finding, Report } from "../finding.ts";
import { type Document, isElement, type Node } from "../tree.ts";
import {
  checkAriaAdvice,
  checkAriaConflicts,
  checkAriaHidden,
  checkInputAria,
  checkNativeStates,
  checkPresentation,
  checkValueLimits,
} from "./aria/aria-attributes.ts";
import { WITHOUT_ARIA } from "./aria/aria-tables.ts";
import { checkNaming } from "./aria/naming.ts";
import { checkMathRole, checkRedundantRole, checkSelectRole } from "./aria/redundant-roles.ts";
import {
  checkDivInDl,
  checkHeadingRoles,
  checkInteractiveInRole,
  checkListItemRole,
  checkOwnedRoles,
  checkRoleTokens,
  watchRequiredContext,
  watchTableRoles,
} from "./aria/role-context.ts";
import { checkWithoutAria } from "./aria/without-aria.ts";
import { checkAutofill } from "./autofill.ts";
import { watchContents } from "./contained.ts";
import { watchContentSecurityPolicy } from "./content-security-policy/content-security-policy.ts";
import { checkBodyStyle } from "./css/body-style.ts";
import { watchCss } from "./css/css.ts";
import * as elements from "./elements.ts";
import { checkInputValues, checkTextareaValues } from "./form-values.ts";
import { watchHeadingContent, watchHeadingLevels, watchTopHeadings } from "./headings.ts";
import { watchActiveDescendants, watchDuplicateIds, watchImageMaps, watchReferences, watchTabs } from "./ids.ts";
import { checkPermissions, watchSourceDocuments } from "./iframe.ts";
import { checkSizes, watchPictures } from "./images/image-candidates.ts";
import { checkCaption, checkImage, watchFigures } from "./images/images.ts";
import { watchLabels } from "./labels.ts";
import { checkRootLanguage, checkSameLanguage } from "./language.ts";
import { watchMain } from "./main-element.ts";
import { checkLink } from "./metadata/link.ts";
import { watchLinkTypes } from "./metadata/link-types.ts";
import { checkMeta, watchMeta } from "./metadata/meta.ts";
import { checkMicrodataAttributes, watchMicrodata } from "./microdata.ts";
import { checkNamespaces } from "./namespaces.ts";
import { checkArea, checkIsMap, checkNesting } from "./nesting.ts";
import { checkMeter, checkProgress } from "./numbers.ts";
import { checkObsoleteAttributes, checkObsoleteElement } from "./obsolete.ts";
import {
  ARIA,
  childrenOf,
  type DocumentContext,
  type DocumentRule,
  type DocumentVisitor,
  type ElementRule,
  isSvg,
  MICRODATA,
  type OpenElement,
  openElement,
  type ReportProblem,
  ROLE,
} from "./open-element.ts";
import { watchAutofocus, watchDefinitionLists, watchSvgLinks, watchSvgVersion } from "./scopes.ts";
import { checkScriptAttributes, watchScriptContent } from "./scripts/script.ts";
import { checkOptgroup, checkSelectButton, checkSelectedContent, watchSelects } from "./select.ts";
import { checkPresentationAttributes } from "./svg-values.ts";
import { watchTableHeaders, watchTables } from "./tables/tables.ts";
import { watchTextContent } from "./text-content.ts";
import { watchUnchecked } from "./unchecked.ts";
import { watchAnchorNames, watchDetailsGroups, watchRadioGroups, watchTracks, watchUniqueNames } from "./unique.ts";
import { checkElementName } from "./unknown-elements.ts";

/** For elements of every language. */
const everywhere: readonly ElementRule[] = [checkElementName, checkNamespaces];
const everywhereWithRole: readonly ElementRule[] = [checkPresentation, checkMathRole, checkRoleTokens];

/** For every HTML element. */
const html: readonly ElementRule[] = [
  checkObsoleteElement,
  checkObsoleteAttributes,
  elements.checkGlobalAttributes,
  checkSameLanguage,
  checkNesting,
  checkInteractiveInRole,
  checkHeadingRoles,
];
const htmlWithRole: readonly ElementRule[] = [checkOwnedRoles, checkRedundantRole];
const htmlWithAria: readonly ElementRule[] = [
  checkNaming,
  checkAriaHidden,
  checkNativeStates,
  checkAriaAdvice,
  checkAriaConflicts,
];
const htmlWithMicrodata: readonly ElementRule[] = [checkMicrodataAttributes];

/** For the HTML elements of a name. */
const byName: ReadonlyMap<string, readonly ElementRule[]> = new Map(
  Object.entries({
    area: [checkArea],
    bdo: [elements.checkBdo],
    button: [checkSelectButton, elements.checkControlName],
    caption: [checkCaption],
    dialog: [elements.checkDialog],
    div: [checkDivInDl],
    embed: [elements.checkEmbed],
    fieldset: [elements.checkControlName],
    form: [elements.checkForm, elements.checkSetOfTokens],
    html: [checkRootLanguage],
    iframe: [checkPermissions],
    img: [checkImage, checkIsMap, checkSizes],
    input: [
      elements.checkInput,
      elements.checkControlName,
      checkAutofill,
      checkInputAria,
      checkValueLimits,
      checkInputValues,
    ],
    li: [checkListItemRole],
    link: [checkLink, checkSizes, elements.checkSetOfTokens],
    map: [elements.checkMap],
    meta: [checkMeta],
    meter: [checkMeter],
    optgroup: [checkOptgroup],
    output: [elements.checkControlName, elements.checkSetOfTokens],
    progress: [checkProgress],
    script: [checkScriptAttributes],
    select: [checkSelectRole, elements.checkControlName],
    selectedcontent: [checkSelectedContent],
    source: [checkSizes],
    style: [elements.checkStyleType, checkBodyStyle],
    summary: [elements.checkSummary],
    td: [elements.checkSetOfTokens],
    textarea: [checkTextareaValues, elements.checkControlName],
    th: [elements.checkSetOfTokens],
    track: [elements.checkTrack],
  }),
);

const documentRules: readonly DocumentRule[] = [
  watchActiveDescendants,
  watchAnchorNames,
  watchAutofocus,
  watchContents,
  watchContentSecurityPolicy,
  watchCss,
  watchDefinitionLists,
  watchDetailsGroups,
  watchDuplicateIds,
  watchFigures,
  watchHeadingContent,
  watchHeadingLevels,
  watchImageMaps,
  watchLabels,
  watchLinkTypes,
  watchMain,
  watchMeta,
  watchMicrodata,
  watchPictures,
  watchRadioGroups,
  watchReferences,
  watchRequiredContext,
  watchScriptContent,
  watchSelects,
  watchSourceDocuments,
  watchSvgLinks,
  watchSvgVersion,
  watchTableHeaders,
  watchTableRoles,
  watchTables,
  watchTabs,
  watchTextContent,
  watchTopHeadings,
  watchTracks,
  watchUnchecked,
  watchUniqueNames,
];

/**
 * Checks a whole document; findings come in document order of their elements.
 *
 */
export function checkAssertions(document: Document, context: DocumentContext, addFinding: Report): void {
  const found: { order: number; finding: Finding }[] = [];
  const report: ReportProblem = (open, { severity, attribute, ...problem }) => {
    const finding: Finding = { ...problem, severity: severity ?? "error", element: open.element };
    if (attribute)
      finding.attribute = open.element.attrs.find(({ name, prefix }) => nameOf(name, prefix) === attribute);
    found.push({ order: open.order, finding });
  };
  const visitors = documentRules.map((watch) => watch(report, context));
  walk(document, hooksOf(visitors), report);
  for (const { end } of visitors) end?.();
  found.sort((a, b) => a.order - b.order);
  for (const { finding } of found) addFinding(finding);
}

function nameOf(name: string, prefix: string | undefined): string {
  return prefix ? `${prefix}:${name}` : name;
}

type Hook = (open: OpenElement) => void;
/** The hooks of all visitors, or only of those that look into templates. */
type Hooks = {
  open: readonly Hook[];
  close: readonly Hook[];
  openOf: ReadonlyMap<string, readonly Hook[]>;
  closeOf: ReadonlyMap<string, readonly Hook[]>;
  text: readonly NonNullable<DocumentVisitor["text"]>[];
};

function hooksOf(visitors: readonly DocumentVisitor[]): { all: Hooks; inTemplates: Hooks } {
  const of = (some: readonly DocumentVisitor[]): Hooks => ({
    open: some.flatMap(({ names, open }) => (names ? [] : (open ?? []))),
    close: some.flatMap(({ names, close }) => (names ? [] : (close ?? []))),
    openOf: byNames(some, ({ open }) => open),
    closeOf: byNames(some, ({ close }) => close),
    text: some.flatMap(({ text }) => text ?? []),
  });
  return { all: of(visitors), inTemplates: of(visitors.filter((watch) => watch.inTemplates)) };
}

function byNames(
  visitors: readonly DocumentVisitor[],
  pick: (watch: DocumentVisitor) => Hook | undefined,
): Map<string, Hook[]> {
  const hooks = new Map<string, Hook[]>();
  for (const watch of visitors) {
    const hook = pick(watch);
    if (hook) for (const name of watch.names ?? []) hooks.set(name, [...(hooks.get(name) ?? []), hook]);
  }
  return hooks;
}

function call(any: readonly Hook[], own: readonly Hook[] | undefined, open: OpenElement): void {
  for (const hook of any) hook(open);
  if (own) for (const hook of own) hook(open);
}

type Frame = { open: OpenElement | undefined; children: readonly Node[]; next: number; hooks: Hooks; own: Hooks };

/** Walks the tree without recursion: documents may be deeper than the stack. */
function walk(document: Document, { all, inTemplates }: ReturnType<typeof hooksOf>, report: ReportProblem): void {
  let order = 0;
  const stack: Frame[] = [{ open: undefined, children: document.childNodes, next: 0, hooks: all, own: all }];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const node = frame.children[frame.next++];
    if (!node) {
      stack.pop();
      leave(frame);
    } else if (isElement(node)) {
      const open = openElement(node, frame.open, order++, frame.hooks !== all);
      if (!open.inTemplate) checkElement(open, report);
      call(frame.hooks.open, frame.hooks.openOf.get(open.element.tagName), open);
      const hooks = open.name === "template" ? inTemplates : frame.hooks;
      stack.push({ open, children: childrenOf(node), next: 0, hooks, own: frame.hooks });
    } else if (frame.open && node.nodeName === "#text" && "value" in node)
      for (const text of frame.hooks.text) text(node.value, frame.open);
  }
}

function leave({ open, own }: Frame): void {
  if (open) call(own.close, own.closeOf.get(open.element.tagName), open);
}

function checkElement(open: OpenElement, report: ReportProblem): void {
  run(everywhere, open, report);
  if (open.flags & ROLE) run(everywhereWithRole, open, report);
  if (isSvg(open)) checkPresentationAttributes(open, report);
  if (!open.name) return;
  run(html, open, report);
  if (open.flags & ROLE) run(htmlWithRole, open, report);
  if (open.flags & ARIA) run(htmlWithAria, open, report);
  if (open.flags & (ROLE | ARIA) && WITHOUT_ARIA.has(open.name)) checkWithoutAria(open, report);
  if (open.flags & MICRODATA) run(htmlWithMicrodata, open, report);
  const own = byName.get(open.name);
  if (own) run(own, open, report);
}

function run(rules: readonly ElementRule[], open: OpenElement, report: ReportProblem): void {
  for (const check of rules) check(open, report);
}
