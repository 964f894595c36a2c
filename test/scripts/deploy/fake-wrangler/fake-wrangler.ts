import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

/** The configuration of a deployment, as far as tests check it, and its path. */
export type DeployedConfig = {
	file: string
	main: string
	assets: { directory: string }
	vars: Record<string, string>
	d1_databases: { binding: string; database_id: string; migrations_dir: string }[]
}

export type Account = {
	accounts: { id: string; name: string }[]
	databases: { uuid: string; name: string }[]
	buckets: Record<string, { rules: string[]; cors?: unknown }>
	queues: string[]
	workers: Record<string, Record<string, string>>
	migrated: string[]
	deployed: DeployedConfig[]
	calls: string[][]
	/** The content of the database; an empty one if it is not given. */
	databaseFile?: string
	/** The first words of a command that fails once. */
	failing?: string
}

export const emptyAccount = (): Account => ({
	accounts: [{ id: 'a1', name: 'Ada' }],
	databases: [],
	buckets: {},
	queues: [],
	workers: {},
	migrated: [],
	deployed: [],
	calls: [],
})

class Failure extends Error {}

/** What a call of the program sends: its arguments, its input, and where wrangler reports what it did. */
type Call = { args: string[]; input: string; report: string }

function execute(account: Account, { args, input, report }: Call): string {
	const option = (name: string) => args[args.indexOf(name) + 1] ?? ''
	const config = args.includes('--config') ? JSON.parse(readFileSync(option('--config'), 'utf8')) : undefined
	const is = (...words: string[]) => words.every((word, at) => args[at] === word)
	const last = args.at(-1) ?? ''
	const bucketAt = (at: number) =>
		account.buckets[args[at] ?? ''] ?? fail('The specified bucket does not exist. [code: 10006]')

	if (is('whoami'))
		return account.accounts.length
			? JSON.stringify({ loggedIn: true, accounts: account.accounts })
			: fail('{\n  "loggedIn": false\n}')
	if (is('d1', 'list')) return JSON.stringify(account.databases)
	if (is('d1', 'create')) {
		account.databases.push({ uuid: `uuid-of-${last}`, name: last })
		return `✅ Successfully created DB '${last}'`
	}
	if (is('d1', 'execute')) {
		const database = new DatabaseSync(account.databaseFile ?? ':memory:')
		try {
			return JSON.stringify([{ results: database.prepare(option('--command')).all(), success: true }])
		} finally {
			database.close()
		}
	}
	if (is('d1', 'migrations', 'apply')) {
		account.migrated.push(config.d1_databases[0].database_id)
		return 'Migrations to be applied:'
	}
	if (is('r2', 'bucket', 'create')) {
		account.buckets[last] = { rules: [] }
		return `✅ Created bucket '${last}'`
	}
	if (is('r2', 'bucket', 'lifecycle', 'list')) {
		const rules = bucketAt(4).rules.map(
			(name) => `name:     ${name}\nenabled:  Yes\nprefix:   (all prefixes)`,
		)
		return `Listing lifecycle rules for bucket '${args[4]}'...\n${rules.join('\n\n')}`
	}
	if (is('r2', 'bucket', 'lifecycle', 'add')) {
		bucketAt(4).rules.push(args[5] ?? '')
		return '✨ Added lifecycle rule'
	}
	if (is('r2', 'bucket', 'cors', 'set')) {
		bucketAt(4).cors = JSON.parse(readFileSync(option('--file'), 'utf8'))
		return '✨ Set CORS configuration'
	}
	if (is('queues', 'info'))
		return account.queues.includes(last)
			? `Queue Name: ${last}`
			: fail(`Queue "${last}" does not exist. To create it, run: wrangler queues create ${last}`)
	if (is('queues', 'create')) {
		if (account.queues.includes(last)) fail(`Queue name '${last}' is already taken. [code: 11009]`)
		account.queues.push(last)
		return `✅ Created queue '${last}'`
	}
	if (is('secret', 'list')) {
		const worker = account.workers[option('--name')] ?? fail(`Worker "${option('--name')}" not found.`)
		return JSON.stringify(Object.keys(worker).map((name) => ({ name, type: 'secret_text' })))
	}
	if (is('secret', 'bulk')) {
		account.workers[config.name] = {
			...account.workers[config.name],
			...JSON.parse(input),
		}
		return '✨ Finished processing secrets file'
	}
	if (is('deploy')) {
		account.deployed.push({ ...config, file: option('--config') })
		account.workers[config.name] ??= {}
		const targets = [
			'schedule: * * * * *',
			'Producer for playhouse-background',
			'https://playhouse.ada.workers.dev',
		]
		if (report)
			appendFileSync(report, `{"type":"wrangler-session"}\n${JSON.stringify({ type: 'deploy', targets })}\n`)
		return 'Uploaded playhouse'
	}
	return fail(`Unknown arguments: ${args.join(' ')}`)
}

function fail(message: string): never {
	throw new Failure(message)
}

/**
 * Replaces wrangler on PATH, with outputs worded like wrangler's. A deployment calls it about twenty times, so the program
 * is a shell script that asks this server.
 */
export async function startFakeWrangler() {
	const state = { account: emptyAccount() }
	const server = createServer((socket) => void serve(socket, (call) => respond(state.account, call)))
	await once(server.listen(0, '127.0.0.1'), 'listening')
	return {
		state,
		env: { FAKE_WRANGLER_PORT: String((server.address() as AddressInfo).port) },
		close: () => server.close(),
	}
}

/** A request is a list of texts that end with NUL: their number, then the report, the input and the arguments. */
async function serve(socket: Socket, respondTo: (call: Call) => string): Promise<void> {
	let received = ''
	for await (const chunk of socket.setEncoding('utf8')) {
		received += chunk
		const [count, report = '', input = '', ...rest] = received.split('\0')
		const args = rest.slice(0, -1)
		if (args.length + 2 !== Number(count)) continue
		socket.end(respondTo({ args, input, report }))
		return
	}
}

/** Returns the exit code and the output. */
function respond(account: Account, call: Call): string {
	account.calls.push(call.args)
	try {
		if (account.failing && call.args.join(' ').startsWith(account.failing)) {
			delete account.failing
			// Repeats its input, as a careless program might.
			fail(`✘ [ERROR] The service is not available. Sent: ${call.input}`)
		}
		return `0\n${execute(account, call)}\n`
	} catch (error) {
		if (!(error instanceof Failure)) throw error
		return `1\n${error.message}\n`
	}
}
