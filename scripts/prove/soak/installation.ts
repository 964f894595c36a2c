import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { login } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { root } from '../../lib/root.ts'
import { owner } from '../../seed/demo.ts'
import { openSession, type Session } from '../../seed/session.ts'
import { listChildPids } from './memory.ts'

const PASSWORD = 'soak-test-battery-staple'

/** `npm start` as a service runs it, without a terminal. */
export type Server = { pid: number; url: string; stop(signal: NodeJS.Signals): Promise<void> }

export async function startServer(dataDir: string, port: number): Promise<Server> {
	const child = spawn('npm', ['start'], {
		cwd: root,
		env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_FORMAT: 'json' },
		// With a terminal, bootstrap.mjs would stay between npm and the server.
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	child.stderr.pipe(process.stderr, { end: false })
	const url = await new Promise<string>((resolve, reject) => {
		createInterface({ input: child.stdout }).on('line', (line) => {
			const found = /Playhouse is at (\S+)/.exec(line)?.[1]
			if (found) resolve(found)
		})
		child.once('close', (code) => reject(new Error(`npm start ended with ${code}`)))
	})
	return { pid: child.pid ?? 0, url, stop: (signal) => stop(child, signal) }
}

/** Signals the server, not npm, and waits until the last process that holds its output has ended. */
async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	const closed = once(child, 'close')
	const [server] = listChildPids(child.pid ?? 0)
	if (server) process.kill(server, signal)
	await closed
}

/** Adds the demo, whose videos the transcoder processes, and signs its owner in. */
export async function seed(url: string): Promise<Session> {
	const seeding = spawn('npm', ['run', 'seed', '--', '--url', url, '--password', PASSWORD], {
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'],
	})
	const [code] = await once(seeding, 'close')
	if (code !== 0) throw new Error(`npm run seed ended with ${code}`)
	return signIn(url)
}

export async function signIn(url: string): Promise<Session> {
	const client = createClient({ baseUrl: url, fetch })
	return openSession(
		url,
		(await client.call(login, { body: { email: owner.email, password: PASSWORD } })).data,
	)
}
