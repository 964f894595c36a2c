import { join } from 'node:path'
import { type Programs, UnusableProgramError } from '../../transcoder-daemon/ffmpeg/binary.ts'
import { provideBubblewrap } from '../lib/bubblewrap.ts'
import type { Console } from '../lib/console/console.ts'
import { provideFfmpeg } from '../lib/ffmpeg.ts'
import { openDataDirectory } from '../lib/installation/data-directory.ts'
import { StartFailure } from '../lib/installation/failure.ts'
import { loadSecrets } from '../lib/installation/secrets.ts'
import { hasMailbox, isHosted, type Settings } from '../lib/installation/settings.ts'
import { openChanges } from '../lib/local-pages/changes.ts'
import { type LocalPages, serveLocalPages } from '../lib/local-pages/local-pages.ts'
import { buildMailboxPath, loadMailboxSecret } from '../lib/mailbox/address.ts'
import { openMailbox } from '../lib/mailbox/mailbox.ts'
import { type Runtime, startRuntime } from '../lib/runtime/runtime.ts'
import type { LocalServices } from '../lib/runtime/runtime-options.ts'
import { backUpIfNeeded } from './back-up/back-up-if-needed.ts'
import { keepDeletingOldCopies } from './back-up/old-copies.ts'
import { startCron } from './cron.ts'
import { applyD1Migrations } from './d1-migrations.ts'
import { type Daemon, superviseDaemon } from './daemon.ts'
import { buildDaemonEnv } from './daemon-env.ts'
import { claimDatabaseLease } from './database-lease.ts'
import { reservePort } from './port.ts'
import { endOnSignal } from './shutdown.ts'
import { hasUsers } from './users.ts'

export type InstallationOptions = {
	settings: Settings
	out: Console
	/** Builds the Worker and the pages; called only after DATA_DIR and the port are reserved. */
	build: () => Promise<string>
	/** Additions of `npm run dev`. */
	dev?: {
		reload: NonNullable<LocalPages['reload']>
		inspectorPort: number | undefined
		stop(): Promise<void>
	}
}

export type Installation = {
	url: string
	runtime: Runtime
	programs: Programs | undefined
	daemon: Daemon | undefined
	mailboxUrl: string | undefined
	hasUsers: boolean
	isProduction: boolean
	startedInMs: number
	/** Applies missing migrations. */
	migrate(): Promise<void>
}

/** Starts the Worker, its schedule and a transcoder on this machine; a signal stops them. */
export async function openInstallation({
	settings,
	out,
	build,
	dev,
}: InstallationOptions): Promise<Installation> {
	const startedAt = Date.now()
	const lock = await openDataDirectory(settings.dataDir)
	const port = await reservePort(settings.host, settings.port)
	const secrets = await loadSecrets(settings.dataDir)
	const programs = settings.withDaemon ? await findFfmpeg(settings.env) : undefined
	if (programs) await provideBubblewrap(settings.env)
	const url = addressOf(settings.host, port)
	const variables = {
		ENVIRONMENT: isHosted(settings) ? 'production' : 'development',
		// Mails are created outside requests, where the host is unknown.
		FRONTEND_URL: settings.variables.PUBLIC_URL ?? url,
		...secrets,
		...settings.variables,
	}
	const lease = await claimDatabaseLease({ dataDir: settings.dataDir, variables, out })
	const mailboxSecret = hasMailbox(settings) ? await loadMailboxSecret(settings.dataDir) : undefined
	const mailChanges = openChanges()
	const runtime = await startRuntime({
		host: settings.host,
		port,
		bundle: await build(),
		storage: join(settings.dataDir, 'storage'),
		variables,
		trustsProxy: settings.trustsProxy,
		onLog: (text, level) => out.printed(text, level === 'error' || level === 'warn' ? level : 'info'),
		local: localServices(mailboxSecret, mailChanges, dev),
	})
	const migrate = () => applyMigrations(runtime, variables, out)
	const deletions = await keepDeletingOldCopies(settings.dataDir, variables, (error) =>
		out.log('error', `deleting old copies of the database failed: ${error.message}`),
	)
	if (settings.withBackup) await backUpIfNeeded(runtime.control, settings, variables, out)
	await migrate()
	runtime.admitRequests()

	const cron = startCron(
		() => runtime.crons,
		(expression, scheduledFor) => {
			runtime.control
				.runScheduled(expression, scheduledFor)
				.catch((error: Error) => out.log('error', error.message))
		},
	)
	const daemon =
		programs && superviseDaemon(buildDaemonEnv(settings, programs, url, variables.FLEET_TOKEN), out)
	const endWithFailure = endOnSignal(
		async () => {
			cron[Symbol.dispose]()
			deletions[Symbol.dispose]()
			await dev?.stop()
			mailChanges.close()
			await daemon?.stop()
			await runtime.stop()
			await lease?.release()
			lock[Symbol.dispose]()
		},
		() => daemon?.kill(),
	)
	void lease?.lost.then(() => {
		out.log('error', 'another installation has taken the database of LIBSQL_URL; this one ends')
		return endWithFailure()
	})
	return {
		...{ url, runtime, programs, daemon, migrate },
		mailboxUrl: mailboxSecret && `${url}${buildMailboxPath(mailboxSecret)}`,
		hasUsers: await hasUsers(runtime.control, variables),
		isProduction: variables.ENVIRONMENT === 'production',
		startedInMs: Date.now() - startedAt,
	}
}

function localServices(
	secret: string | undefined,
	changes: ReturnType<typeof openChanges>,
	dev: InstallationOptions['dev'],
): LocalServices {
	const reload = dev?.reload
	const box = openMailbox(changes.announce)
	return {
		...((secret || reload) && {
			pages: serveLocalPages({ mail: secret ? { box, changes, secret } : undefined, reload }),
		}),
		...(secret && {
			mailbox: async (request: Request) => {
				box.put(await request.json())
				return new Response(null, { status: 204 })
			},
		}),
		...(dev?.inspectorPort !== undefined && { inspectorPort: dev.inspectorPort }),
		logsRequests: reload !== undefined,
		reloadsPages: reload !== undefined,
	}
}

async function findFfmpeg(env: NodeJS.ProcessEnv): Promise<Programs | undefined> {
	try {
		return await provideFfmpeg(env)
	} catch (error) {
		throw error instanceof UnusableProgramError ? new StartFailure(error.message) : error
	}
}

async function applyMigrations(
	runtime: Runtime,
	{ LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken }: Record<string, string>,
	out: Console,
): Promise<void> {
	const applied = url
		? await (await import('../migrate/main.ts')).migrateLibsql({ url, authToken })
		: await applyD1Migrations(runtime.control)
	if (applied.length > 0) out.log('info', `Migrations applied: ${applied.length}`)
}

/** Returns the URL of the installation; a wildcard host becomes loopback. */
function addressOf(host: string, port: number): string {
	const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
	return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
