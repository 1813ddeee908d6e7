/** Where a person accepts an invitation: a page beside the API. */
export function invitationUrl(base: string, guestToken: string): string {
  return `${base.replace(/\/api\/v1$/, "")}/invitations/${guestToken}`;
}
