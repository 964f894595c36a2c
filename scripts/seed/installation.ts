import { createClient } from '#schema/contract/kit/client.ts'
import { getConfig } from '#schema/contract/operations/health.ts'
import { isLoopback } from '../../edge/platform/network/this-machine.ts'
import { type InstallationMail, openInstallationMail } from './mail.ts'
import { type Client, SeedError } from './session.ts'

export type SeededInstallation = {
	url: string
	client: Client
	/** Null if mails are sent, so that codes and invitations are not readable. */
	mail: InstallationMail | null
}

/** Connects to an installation; throws unless it is ready and allowed to get demo content. */
export async function openSeededInstallation(
	url: string,
	{ dataDir, ...options }: { dataDir: string; isForced: boolean; hasOwnPassword: boolean },
): Promise<SeededInstallation> {
	const isProduction = (await responseOf(`${url}/v1/config`)).headers.has('strict-transport-security')
	const reason = findReasonNotToSeed(url, { ...options, isProduction })
	if (reason) throw new SeedError(reason)
	const client = createClient<AbortSignal>({ baseUrl: url, fetch })
	const { features } = (await client.call(getConfig, {})).data
	if (!features.signing)
		throw new SeedError('sign-in is off there because AUTH_SECRET is not set; start it with npm start')
	return { url, client, mail: await openInstallationMail(url, dataDir) }
}

async function responseOf(address: string): Promise<Response> {
	try {
		const response = await fetch(address)
		if (response.ok && response.headers.get('content-type')?.startsWith('application/json')) return response
	} catch {
		throw new SeedError(
			`no Playhouse runs at ${new URL(address).origin}; start one in another terminal with npm start (or npm run dev), or pass its URL with --url`,
		)
	}
	throw new SeedError(
		`${new URL(address).origin} responds, but is not a Playhouse that is ready; check --url or wait until it has started`,
	)
}

/** Returns why an installation must not get demo content, or null. */
export function findReasonNotToSeed(
	url: string,
	{ isProduction, isForced, hasOwnPassword }: Record<'isProduction' | 'isForced' | 'hasOwnPassword', boolean>,
): string | null {
	if (isProduction && !isForced)
		return `${url} is in production, where demo content does not belong; use --force to add it anyway`
	if ((isProduction || !isLoopback(new URL(url).hostname)) && !hasOwnPassword)
		return 'the default password of the demo accounts is public, and other machines reach this installation; pass another one with --password'
	return null
}
