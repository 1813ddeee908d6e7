/** The address of the Model Context Protocol. */
export const TOOLS_PATH = "/mcp";
