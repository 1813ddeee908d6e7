import { UsageError } from "../../../domain/errors.ts";

/** Where code is kept that pipelines check, and where people see the result. */
export const forgeNames = ["github", "gitlab"] as const;
export type ForgeName = (typeof forgeNames)[number];

/** The result of a check, as a forge shows it beside a commit. */
export type State = "passed" | "failed" | "stopped";
export type Status = { state: State; name: string; description: string };

/** A request to a forge's API. */
export type ForgeRequest = { method: "GET" | "POST" | "PUT" | "PATCH"; url: string; body?: Record<string, unknown> };

/** A comment, and whether whoever has the token wrote it. */
export type ForgeComment = { id: string | null; body: string; isOwn: boolean };

/** What a forge is asked for, as data: who sends it is in announce.ts. */
export type Forge = {
  /** With the token. */
  headers: Readonly<Record<string, string>>;
  status: (status: Status) => ForgeRequest;
  /** undefined where the pipeline is of no pull request. */
  comments:
    | {
        list: (page: string | undefined) => ForgeRequest;
        /** @param self what `self` answered, if there is such a request; `page` as for `list`, and `next` for the next one */
        read: (
          answer: unknown,
          asked: { self: unknown; page: string | undefined },
        ) => { comments: ForgeComment[]; next?: string | undefined };
        self?: ForgeRequest;
        create: (body: string) => ForgeRequest;
        update: (id: string, body: string) => ForgeRequest;
        maxLength: number;
      }
    | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that have the token of each. */
export const tokenVariables = { github: "GITHUB_TOKEN", gitlab: "GITLAB_TOKEN" } as const satisfies Record<
  ForgeName,
  string
>;

/**
 * The forge whose pipeline this is, by the variables that it sets.
 *
 * @param event the event that started a workflow of GitHub, if there is one
 * @throws UsageError that names the variable that is missing
 */
export function forgeOf(name: ForgeName, env: Environment, event: unknown): Forge {
  return name === "github" ? github(env, event) : gitlab(env);
}

function needed(env: Environment, option: ForgeName, name: string, what: string): string {
  const value = env[name];
  if (value) return value;
  throw new UsageError(`--announce ${option} needs ${what}: set ${name} in the environment.`);
}

type PullRequest = { number?: unknown; head?: { sha?: unknown } };

/** @see https://docs.github.com/en/rest/commits/statuses https://docs.github.com/en/graphql/reference/interfaces#comment */
function github(env: Environment, event: unknown): Forge {
  const token = needed(env, "github", "GITHUB_TOKEN", "a token that may write statuses and pull requests");
  const repository = needed(env, "github", "GITHUB_REPOSITORY", "the repository, such as owner/name");
  const given = needed(env, "github", "GITHUB_SHA", "the commit");
  const api = env.GITHUB_API_URL || "https://api.github.com";
  const pull = (event as { pull_request?: PullRequest } | undefined)?.pull_request;
  // A workflow of a pull request runs on a merge that nobody looks at.
  const sha = typeof pull?.head?.sha === "string" ? pull.head.sha : given;
  const run =
    env.GITHUB_RUN_ID &&
    `${env.GITHUB_SERVER_URL || "https://github.com"}/${repository}/actions/runs/${env.GITHUB_RUN_ID}`;
  const issue = typeof pull?.number === "number" ? `${api}/repos/${repository}/issues` : undefined;
  const [owner, name] = repository.split("/");
  return {
    headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
    status: ({ state, name: context, description }) => ({
      method: "POST",
      url: `${api}/repos/${repository}/statuses/${sha}`,
      body: {
        state: ({ passed: "success", failed: "failure", stopped: "error" } as const)[state],
        context,
        description: description.slice(0, 140),
        ...(run && { target_url: run }),
      },
    }),
    comments: issue
      ? {
          // REST does not say whose comment it is: a bot has no account of its own that could be asked for.
          list: (after) => ({
            method: "POST",
            url: env.GITHUB_GRAPHQL_URL || `${api}/graphql`,
            body: { query: OWN_COMMENTS, variables: { owner, name, number: pull?.number, after: after ?? null } },
          }),
          read: (answer) => {
            const { data, errors = [] } = answer as GithubComments;
            const found = data?.repository?.pullRequest?.comments;
            // GraphQL refuses with 200: to take that for no comment would write another one each time.
            if (!found)
              throw new Error(
                `the comments could not be read: ${errors[0]?.message ?? "there is no such pull request"}`,
              );
            return {
              comments: found.nodes.map(({ fullDatabaseId: id, body, viewerDidAuthor }) => ({
                ...{ id, body, isOwn: viewerDidAuthor && id !== null },
              })),
              next: found.pageInfo.hasNextPage ? found.pageInfo.endCursor : undefined,
            };
          },
          create: (body) => ({ method: "POST", url: `${issue}/${pull?.number}/comments`, body: { body } }),
          update: (id, body) => ({ method: "PATCH", url: `${issue}/comments/${id}`, body: { body } }),
          maxLength: 65_000,
        }
      : undefined,
  };
}

const OWN_COMMENTS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { comments(first: 100, after: $after) {
    nodes { fullDatabaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor }
  } } }
}`;

type GithubComments = {
  errors?: { message: string }[];
  data?: {
    repository?: {
      pullRequest?: {
        comments: {
          /** The id is a text, since it is too large for a number of GraphQL. */
          nodes: { fullDatabaseId: string | null; body: string; viewerDidAuthor: boolean }[];
          pageInfo: { hasNextPage: boolean; endCursor: string };
        };
      };
    };
  };
};

/** Of notes; there are no more after a page that is not full. */
const PER_PAGE = 100;

/** @see https://docs.gitlab.com/api/commits/#set-commit-pipeline-status https://docs.gitlab.com/api/notes/#merge-requests */
function gitlab(env: Environment): Forge {
  const token = needed(env, "gitlab", "GITLAB_TOKEN", "a project access token with the scope api");
  const api = needed(env, "gitlab", "CI_API_V4_URL", "the address of the API");
  const of = (id: string) => `${api}/projects/${encodeURIComponent(id)}`;
  const own = needed(env, "gitlab", "CI_PROJECT_ID", "the project");
  const sha = needed(env, "gitlab", "CI_COMMIT_SHA", "the commit");
  const request = env.CI_MERGE_REQUEST_IID;
  // A merge request is the target's, also where a fork's pipeline checks it.
  const notes = request && `${of(env.CI_MERGE_REQUEST_PROJECT_ID || own)}/merge_requests/${request}/notes`;
  return {
    headers: { "private-token": token },
    status: ({ state, name, description }) => ({
      method: "POST",
      url: `${of(own)}/statuses/${sha}`,
      body: {
        state: state === "passed" ? "success" : "failed",
        name,
        description: description.slice(0, 255),
        ...(env.CI_JOB_URL && { target_url: env.CI_JOB_URL }),
        ...(env.CI_PIPELINE_ID && { pipeline_id: Number(env.CI_PIPELINE_ID) }),
      },
    }),
    comments: notes
      ? {
          self: { method: "GET", url: `${api}/user` },
          list: (page = "1") => ({ method: "GET", url: `${notes}?per_page=${PER_PAGE}&page=${page}` }),
          read: (answer, { self, page = "1" }) => {
            const found = answer as { id: number; body: string; author: { id: number } }[];
            return {
              comments: found.map(({ id, body, author }) => ({
                ...{ id: String(id), body, isOwn: author.id === (self as { id: number }).id },
              })),
              next: found.length === PER_PAGE ? String(Number(page) + 1) : undefined,
            };
          },
          create: (body) => ({ method: "POST", url: notes, body: { body } }),
          update: (id, body) => ({ method: "PUT", url: `${notes}/${id}`, body: { body } }),
          maxLength: 900_000,
        }
      : undefined,
  };
}
