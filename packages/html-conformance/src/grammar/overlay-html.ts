/**
 * Where the HTML Standard allows something else than the Nu checker's grammar of HTML.
 *
 * Sections of https://html.spec.whatwg.org/multipage/: form-elements.html#the-select-element, #the-optgroup-element
 * (the order of their contents; `<noscript>` with options), #the-datalist-element (phrasing content or options, not
 * both), input.html#color-state-(type=color) (any color of CSS); https://www.w3.org/TR/html-aria/#el-button.
 *
 * Attributes of other specifications: https://drafts.csswg.org/css-shadow-parts/, https://w3c.github.io/remote-playback/,
 * https://w3c.github.io/picture-in-picture/, https://w3c.github.io/virtual-keyboard/, https://w3c.github.io/element-timing/,
 * https://w3c.github.io/webappsec-cspee/, https://wicg.github.io/anonymous-iframe/, https://wicg.github.io/controls-list/;
 * roles of https://w3c.github.io/aria/ (1.3).
 */
export const HTML = `
default namespace = "http://www.w3.org/1999/xhtml"
datatypes w = "http://whattf.org/datatype-draft"

select.inner = button.elem?, select.own.items
selectdiv.inner = select.own.items
select.own.items =
    optgroup.elem*
    & option.elem*
    & hr.elem*
    & selectdiv.elem*
    & select.own.noscript*
    & common.elem.script-supporting*
select.own.noscript = element noscript { select.own.items & noscript.attrs } & HTMLonly
optgroup.inner = legend.elem?, optgroup.own.items
optgroupdiv.inner = optgroup.own.items
optgroup.own.items =
    option.elem* & optgroupdiv.elem* & optgroup.own.noscript* & common.elem.script-supporting*
optgroup.own.noscript = element noscript { optgroup.own.items & noscript.attrs } & HTMLonly

datalist.inner = common.inner.phrasing | (option.elem* & common.elem.script-supporting*)

a.nohref.attrs &= a.attrs.name?
input.number.attrs &= attribute size { w:integer-positive }?
common.attrs.other &=
    attribute part { text }? & attribute exportparts { text }? & attribute virtualkeyboardpolicy { "auto" | "manual" | "" }?
media.attrs &=
    attribute disableremoteplayback { w:string "" | w:string "disableremoteplayback" }?
    & attribute controlslist { list { ("nodownload" | "nofullscreen" | "noremoteplayback")+ } }?
video.attrs &= attribute disablepictureinpicture { w:string "" | w:string "disablepictureinpicture" }?
iframe.attrs &= attribute credentialless { w:string "" | w:string "credentialless" }? & attribute csp { text }?
img.attrs &= attribute elementtiming { text }?

common.attrs.aria |= html.own.aria
html.own.aria =
    attribute role {
        string "comment" | string "mark" | string "suggestion" | string "sectionfooter" | string "sectionheader" | string "image"
    }
    & aria.state.expanded?

link.attrs.sizes = attribute sizes { list { (w:string "any" | w:icon-size)+ } }
button.attrs.command =
    attribute command {
        w:string "toggle-popover"
        | w:string "show-popover"
        | w:string "hide-popover"
        | w:string "close"
        | w:string "request-close"
        | w:string "show-modal"
        | w:custom-command
    }

input.color.attrs.value = attribute value { w:string "" | w:color }

button.elem |= button.own.switch.elem
button.own.switch.elem =
    element button {
        button.inner
        & common.attrs
        & common-form.attrs
        & button.submit.attrs.type?
        & shared-form.attrs.formaction?
        & shared-form.attrs.formenctype?
        & shared-form.attrs.formmethod?
        & shared-form.attrs.formnovalidate?
        & shared-form.attrs.formtarget?
        & button.attrs.value?
        & button.attrs.command?
        & button.attrs.commandfor?
        & button.attrs.popover-controls
        & common.attrs.aria.role.switch
    }
`;
