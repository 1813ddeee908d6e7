/**
 * Where the HTML Standard allows something else than the Nu checker's grammar of HTML.
 *
 * Sections of https://html.spec.whatwg.org/multipage/: form-elements.html#the-select-element, #the-optgroup-element
 * (the order of their contents; `<noscript>` with options), #the-datalist-element (phrasing content or options, not
 * both), input.html#color-state-(type=color) (any color of CSS); and https://www.w3.org/TR/html-aria/#el-button.
 */
export const HTML = String.raw`
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
