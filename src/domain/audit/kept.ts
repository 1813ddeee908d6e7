/** How many days entries of the audit log are kept, unless an account says otherwise, and the least and most that it may say. */
export const AUDIT_DAYS = { usual: 730, least: 90, most: 36_500 } as const;

/** After how many days an address is cut to its network: 192.0.2.71 becomes 192.0.2.0, and IPv6 keeps 48 bits. */
export const ADDRESS_DAYS = 90;
