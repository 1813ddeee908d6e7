import { type Api, readAll } from "../../api.ts";
import { texts } from "../../texts/en.ts";
import type { Option } from "../form.ts";

/** The choices of a form, from lists of the account and of the service. */
export type Choices = { devices: Option[]; credentials: Option[] };

export async function readChoices(api: Api): Promise<Choices> {
  const devices = await readAll<"device">(api, "/devices");
  const credentials = await readAll<"basic_auth">(api, "/basic_auths");
  return {
    devices: devices.map(({ id, attributes: { name, width, height } }) => ({
      value: id,
      label: texts.crawlForm.device(name, width, height),
    })),
    credentials: [
      { value: "", label: texts.crawlForm.noCredentials },
      ...credentials.map(({ id, attributes: { host, username } }) => ({
        value: id,
        label: texts.crawlForm.credentialsOf(username, host),
      })),
    ],
  };
}
