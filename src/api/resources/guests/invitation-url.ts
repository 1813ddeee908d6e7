/** The address of the page on which a person accepts an invitation; it is not under /api/v1. */
export function invitationUrl(base: string, guestToken: string): string {
  return `${base.replace(/\/api\/v1$/, "")}/invitations/${guestToken}`;
}
