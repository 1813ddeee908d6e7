/** Rules whose findings a person settles, as questions that "yes" answers with "it is as it should be". */
const questions: Readonly<Record<string, string>> = {
  "color-contrast": "Can this text be read over what is behind it?",
  "sv-link-purpose": "Does this link say enough where it stands?",
  "link-in-text-block": "Can this link be told from the text around it?",
  "sv-image-name": "Does this image have the right alternative, or none by right?",
  "sv-table-headers": "Does this table need no other headers?",
  "sv-field-group": "Are these fields clear without a group?",
  "sv-field-label": "Is this field clear once somebody has typed in it?",
  "sv-field-message": "Is this text about something else than the field?",
  "sv-field-error": "Does somebody who comes back to this field hear what is wrong with it?",
  "sv-heading-markup": "Is this no heading?",
  "p-as-heading": "Is this no heading?",
  "sv-list-markup": "Is this no list?",
  "sv-blank-markup": "Is this one text, as it is read?",
  "sv-part-language": "Is this text of the language that the page says?",
  "sv-page-language": "Is the page of the language that it says?",
  "sv-transcript": "Is there a text of this recording?",
  "sv-captions": "Does this film have captions?",
  "video-caption": "Does this film have captions?",
  "sv-focus-visible": "Can it be seen that this has the focus?",
  "sv-focus-order": "Does the order of the Tab key make sense here?",
  "sv-hover-only": "Can this be had without a mouse?",
  "sv-hover-content": "Can this be dismissed, and pointed at?",
  "sv-keyboard-unreachable": "Can the same be done by keyboard?",
  "sv-button-state": "Is it told whether this is open?",
  "sv-status-message": "Is this message announced?",
  "sv-message-time": "Does it matter to nobody that this message goes?",
  "sv-moving-content": "May this move?",
  "sv-flashing": "Is this no flash?",
  "sv-reflow": "Does this need its width?",
  "sv-zoom-clips-text": "Is nothing lost that is cut off here?",
  "sv-spacing-clips-text": "Is nothing lost that is cut off here?",
  "sv-colour-words": "Is this told by something besides the colour?",
  "sv-control-contrast": "Can it be seen where this field is?",
  "target-size": "Is there another way to do the same, or does its size have a reason?",
};

/** The question that the findings of a component ask, all alike. @param title what is wrong, if it is wrong */
export function questionOf(rule: string, title: string): string {
  return Object.hasOwn(questions, rule) ? (questions[rule] as string) : `Is this as it should be? “${title}”`;
}
