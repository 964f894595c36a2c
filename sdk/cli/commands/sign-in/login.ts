import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import { call } from '../../../src/call.ts'
import { type Client, checkEncryption, createClient } from '../../../src/client.ts'
import { whoAmI } from '../../../src/generated/operations.ts'
import { nameProfile, writeProfile } from '../../files/profiles.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'
import type { Terminal } from '../../frame/terminal.ts'
import { requestKey } from './request-key.ts'

type Options = { scope: string; deviceName?: string; withKey?: true }

export async function run({
	args: [given],
	options,
	terminal,
}: Invocation<Options, [string?]>): Promise<void> {
	const baseUrl = given ?? options.url ?? terminal.env.PLAYHOUSE_URL ?? (await askForUrl(terminal))
	const insecure = options.allowInsecureHttp && { allowInsecureHttp: true as const }
	const anonymous = createClient({ baseUrl })
	// Before somebody approves a key that would travel unencrypted.
	if (!insecure) checkEncryption(new URL(anonymous.baseUrl))
	const apiKey = options.withKey
		? (await text(terminal.stdin)).trim()
		: await receiveKey(anonymous, options, terminal)
	const client = createClient({ baseUrl, apiKey, ...insecure })
	const { org, key } = await call(client, whoAmI)
	const profile = options.profile ?? nameProfile(client.baseUrl)
	await writeProfile(terminal.env, profile, { url: client.baseUrl, apiKey, ...insecure })
	if (options.json) terminal.printJson({ profile, url: client.baseUrl, org, scopes: key?.scopes ?? [] })
	else terminal.talk(`Signed in to ${client.baseUrl} for ${org.name}. The profile is ${profile}.`)
}

async function askForUrl({ isInteractive, stderr, stdin }: Terminal): Promise<string> {
	if (!isInteractive)
		throw new CommandFailure('the address of the installation is missing; run: playhouse login URL', USAGE)
	const { isCancel, text } = await import('@clack/prompts')
	const answer = await text({
		message: 'Address of the installation',
		placeholder: 'https://video.example.com',
		output: stderr,
		input: stdin,
		validate: (value) =>
			value && URL.canParse(value) ? undefined : 'enter an address that begins with https://',
	})
	if (isCancel(answer)) throw new CommandFailure('canceled', USAGE)
	return answer
}

const receiveKey = (client: Client, { scope, deviceName }: Options, terminal: Terminal): Promise<string> =>
	requestKey(
		client,
		{ scope, deviceName: (deviceName ?? hostname()).slice(0, 100) },
		terminal.interruption,
		(request) => {
			terminal.talk(`Open  ${terminal.paint.bold(request.verification_uri_complete)}`)
			terminal.talk(`and approve the code  ${terminal.paint.bold(request.user_code)}`)
			terminal.talk(`Waiting for up to ${Math.round(request.expires_in / 60)} minutes.`)
		},
	)
