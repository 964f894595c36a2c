import { join } from 'node:path'
import { ProgramMissingError, type Programs } from '../transcoder-daemon/ffmpeg/binary.ts'
import { buildAssets } from './assets.ts'
import { provideBubblewrap } from './bubblewrap.ts'
import { provideFfmpeg } from './ffmpeg.ts'
import { migrateLibsql } from './migrate.ts'
import { banner } from './start/banner.ts'
import { bundleWorker } from './start/bundle.ts'
import { startCron } from './start/cron.ts'
import { applyD1Migrations } from './start/d1-migrations.ts'
import { superviseDaemon } from './start/daemon.ts'
import { daemonEnv } from './start/daemon-env.ts'
import { openDataDirectory } from './start/data-directory.ts'
import { explainFailure, StartFailure } from './start/failure.ts'
import { reservePort } from './start/port.ts'
import { type Runtime, startRuntime } from './start/runtime.ts'
import { keepSecrets } from './start/secrets.ts'
import { isHosted, readSettings, type Settings, usage } from './start/settings.ts'
import { endOnSignal } from './start/shutdown.ts'
import { hasUsers } from './start/users.ts'

try {
	const settings = await readSettings(process.argv.slice(2), process.env)
	if (settings === 'help') console.log(usage)
	else await start(settings)
} catch (error) {
	console.error(explainFailure(error) ?? error)
	process.exit(1)
}

async function start(settings: Settings): Promise<void> {
	const startedAt = Date.now()
	const lock = await openDataDirectory(settings.dataDir)
	const port = await reservePort(settings.host, settings.port)
	const secrets = await keepSecrets(settings.dataDir)
	const programs = settings.withDaemon ? await findFfmpeg(settings.env) : undefined
	if (programs) provideBubblewrap(settings.env)
	await buildAssets()
	const url = addressOf(settings.host, port)
	const variables = {
		ENVIRONMENT: isHosted(settings) ? 'production' : 'development',
		// Mails are made outside requests, where nothing else says how this machine is reached.
		FRONTEND_URL: settings.variables.PUBLIC_URL ?? url,
		...secrets,
		...settings.variables,
	}
	const runtime = await startRuntime({
		host: settings.host,
		port,
		bundle: await bundleWorker(),
		storage: join(settings.dataDir, 'storage'),
		variables,
		trustsProxy: settings.trustsProxy,
	})
	await migrate(runtime, variables)
	await runtime.control.openDoor()

	const cron = startCron(runtime.crons, (expression, scheduledFor) => {
		runtime.control
			.runScheduled(expression, scheduledFor)
			.catch((error: Error) => console.error(error.message))
	})
	const daemon = programs && superviseDaemon(daemonEnv(settings, programs, url, variables.FLEET_TOKEN))
	endOnSignal(
		async () => {
			cron[Symbol.dispose]()
			await daemon?.stop()
			await runtime.stop()
			lock[Symbol.dispose]()
		},
		() => daemon?.kill(),
	)
	const state = {
		url,
		programs,
		hasUsers: await hasUsers(runtime.control, variables),
		startedInMs: Date.now() - startedAt,
	}
	console.log(banner(settings, state))
}

async function findFfmpeg(env: NodeJS.ProcessEnv): Promise<Programs | undefined> {
	try {
		return await provideFfmpeg(env)
	} catch (error) {
		throw error instanceof ProgramMissingError ? new StartFailure(error.message) : error
	}
}

async function migrate(
	runtime: Runtime,
	{ LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken }: Record<string, string>,
) {
	const applied = url ? await migrateLibsql({ url, authToken }) : await applyD1Migrations(runtime.control)
	if (applied.length > 0) console.log(`Migrations applied: ${applied.join(', ')}`)
}

/** What listens at every address is reached at the loopback one. */
function addressOf(host: string, port: number): string {
	const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
	return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
