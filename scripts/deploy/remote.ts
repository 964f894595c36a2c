import { type Installation, OperatorError, type Remote } from './plan.ts'
import { type Wrangler, WranglerError } from './wrangler.ts'

/** Throws unless wrangler can act for exactly one account; otherwise it would stop at a prompt later. */
export async function requireOneAccount(wrangler: Wrangler, hasChosenAccount: boolean): Promise<void> {
	let accounts: { id: string; name: string }[]
	try {
		accounts = JSON.parse(await wrangler.run(['whoami', '--json'])).accounts
	} catch (error) {
		// Without a login wrangler prints {"loggedIn": false}; any other failure is a problem of wrangler itself.
		if (!(error instanceof WranglerError) || !/"loggedIn":\s*false/.test(error.output)) throw error
		throw new OperatorError(
			'Not signed in to Cloudflare; run `npx wrangler login` or set CLOUDFLARE_API_TOKEN.',
		)
	}
	if (accounts.length === 0)
		throw new OperatorError('The signed-in user or token has no Cloudflare account; use another one.')
	if (accounts.length > 1 && !hasChosenAccount) {
		const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join('\n')
		throw new OperatorError(`There are several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of them:\n${list}`)
	}
}

export async function readRemote(wrangler: Wrangler, installation: Installation): Promise<Remote> {
	const remote: Remote = {
		databaseId: installation.databaseId ?? (await findDatabase(wrangler, installation.database)),
		buckets: {},
		queues: [],
		secrets: [],
	}
	for (const bucket of Object.values(installation.buckets)) {
		const rules = await unlessMissing(/bucket does not exist/, () =>
			wrangler.run(['r2', 'bucket', 'lifecycle', 'list', bucket]),
		)
		if (rules !== undefined) remote.buckets[bucket] = ruleNames(rules)
	}
	for (const queue of installation.queues) {
		const found = await unlessMissing(/does not exist/, () => wrangler.run(['queues', 'info', queue]))
		if (found !== undefined) remote.queues.push(queue)
	}
	const secrets = await unlessMissing(/Worker .* not found/, () =>
		wrangler.run(['secret', 'list', '--name', installation.worker, '--format', 'json']),
	)
	if (secrets) remote.secrets = (JSON.parse(secrets) as { name: string }[]).map(({ name }) => name)
	return remote
}

export async function findDatabase(wrangler: Wrangler, name: string): Promise<string | undefined> {
	const databases: { uuid: string; name: string }[] = JSON.parse(await wrangler.run(['d1', 'list', '--json']))
	return databases.find((database) => database.name === name)?.uuid
}

async function unlessMissing(pattern: RegExp, read: () => Promise<string>): Promise<string | undefined> {
	try {
		return await read()
	} catch (error) {
		if (error instanceof WranglerError && pattern.test(error.output)) return undefined
		throw error
	}
}

// wrangler prints this list only as text: `name:  …`, followed by the effect of the rule.
const ruleNames = (list: string): string[] =>
	[...list.matchAll(/^name:\s+(.+)$/gm)].map((match) => (match[1] ?? '').trim())
