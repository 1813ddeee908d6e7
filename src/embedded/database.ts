/** The name of the database of an embedded server. */
export const DATABASE = "site_validator";
