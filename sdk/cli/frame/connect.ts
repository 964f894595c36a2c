import { call } from '../../src/call.ts'
import { type Client, createClient } from '../../src/client.ts'
import { whoAmI } from '../../src/generated/operations.ts'
import { currentProfile, listProfiles, type Profile, readProfile } from '../files/profiles.ts'
import { NOT_SIGNED_IN, USAGE } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'
import type { GlobalOptions } from './invocation.ts'

export type Connection = Profile & { client: Client; profile: string | undefined }

/** Returns a client for the installation and the key of the environment, of the options, or of the current profile. */
export async function connect(options: GlobalOptions, env: NodeJS.ProcessEnv): Promise<Connection> {
	const { name, profile } = await findCredential(options, env)
	const { url, apiKey } = profile
	const allowInsecureHttp = options.allowInsecureHttp ?? profile.allowInsecureHttp
	const client = createClient({
		baseUrl: url,
		apiKey,
		...(allowInsecureHttp && { allowInsecureHttp }),
	})
	return { ...profile, client, profile: name }
}

/** Returns the organization of the key. */
export const findOrgId = async (client: Client): Promise<string> => (await call(client, whoAmI)).org.id

type Credential = { name?: string; profile: Profile }

async function findCredential(options: GlobalOptions, env: NodeJS.ProcessEnv): Promise<Credential> {
	const { PLAYHOUSE_API_KEY: apiKey, PLAYHOUSE_URL } = env
	const url = options.url ?? PLAYHOUSE_URL
	if (apiKey && !options.profile) {
		if (url && PLAYHOUSE_URL && !isSameInstallation(url, PLAYHOUSE_URL))
			throw new CommandFailure(
				`PLAYHOUSE_API_KEY belongs to ${PLAYHOUSE_URL}; remove --url, or change PLAYHOUSE_URL and the key`,
				USAGE,
			)
		if (url) return { profile: { url, apiKey } }
		// Another installation than that of the key must never get the key.
		throw new CommandFailure(
			'PLAYHOUSE_API_KEY is set without an installation; set PLAYHOUSE_URL, too',
			USAGE,
		)
	}
	const name = options.profile ?? (url ? await findProfileForUrl(env, url) : await currentProfile(env))
	if (name === undefined)
		throw new CommandFailure(
			url
				? `no profile is signed in to ${url}; run: playhouse login ${url}`
				: 'not signed in; run: playhouse login URL',
			NOT_SIGNED_IN,
		)
	const profile = await readProfile(env, name)
	if (profile === undefined)
		throw new CommandFailure(
			`the profile ${name} does not exist; run: playhouse login URL --profile ${name}`,
			NOT_SIGNED_IN,
		)
	if (url && !isSameInstallation(profile.url, url))
		throw new CommandFailure(
			`the profile ${name} belongs to ${profile.url}; remove --url or PLAYHOUSE_URL`,
			USAGE,
		)
	return { name, profile }
}

async function findProfileForUrl(env: NodeJS.ProcessEnv, url: string): Promise<string | undefined> {
	const current = await currentProfile(env)
	for (const name of [...(current ? [current] : []), ...(await listProfiles(env))]) {
		const profile = await readProfile(env, name)
		if (profile && isSameInstallation(profile.url, url)) return name
	}
	return undefined
}

const isSameInstallation = (one: string, other: string): boolean =>
	one.replace(/\/$/, '') === other.replace(/\/$/, '')
