import type { Role } from "./roles.ts";

/** What the operator has set about people, and of which they are told. */
export type PeopleOptions = {
  /** Whether a mail server is set. */
  mail?: boolean | undefined;
  /** Whether invitations can be sent by mail: a server is set, messages may leave, and the service knows its own address. */
  invites?: boolean | undefined;
  /** The mail address of whoever gives access. */
  contact?: string | undefined;
  /** Which role a group of the sign-in provider gives; `*` is everybody whom it knows. Only who was invited comes without. */
  groupRoles?: Readonly<Record<string, Role>> | undefined;
};
