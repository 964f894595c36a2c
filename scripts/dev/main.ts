import { join } from 'node:path'
import { buildAssets } from '../lib/assets.ts'
import { openConsole } from '../lib/console/console.ts'
import { createStackMapper } from '../lib/console/stack.ts'
import { explainFailure, StartFailure } from '../lib/installation/failure.ts'
import {
	isForDevelopment,
	parsePort,
	printUsage,
	readSettings,
	type Settings,
} from '../lib/installation/settings.ts'
import { openChanges } from '../lib/local-pages/changes.ts'
import { root } from '../lib/root.ts'
import { renderBanner } from '../start/banner.ts'
import { openInstallation } from '../start/installation.ts'
import { createDevLoop } from './loop.ts'
import { watchSources } from './watch.ts'
import { BuildError, openWorkerBundle } from './worker-bundle.ts'

try {
	const settings = await readSettings(process.argv.slice(2), process.env, 'npm run dev')
	if (settings === 'help') console.log(printUsage('npm run dev'))
	else await develop(settings)
} catch (error) {
	console.error(error instanceof BuildError ? error.message : (explainFailure(error) ?? error))
	process.exit(1)
}

async function develop(settings: Settings): Promise<void> {
	if (!isForDevelopment(settings))
		throw new StartFailure(
			'npm run dev does not run in production, which ENVIRONMENT, TRUST_PROXY or an https PUBLIC_URL selects; use npm start',
		)
	// The daemon returns its tasks at once, so that a restart takes a moment only.
	settings.env.PLAYHOUSE_DRAIN_SECONDS ??= '0'
	settings.env.PLAYHOUSE_REMEMBER_TRIALS ??= 'true'
	const { color } = settings.log
	const inspector = settings.env.INSPECTOR_PORT
	const worker = await openWorkerBundle(join(settings.dataDir, 'dev-bundle'), color)
	const reload = openChanges()
	const out = openConsole({
		...settings.log,
		requests: 'info',
		write: (line) => console.log(line),
		mapStack: createStackMapper(() => join(worker.directory(), 'worker.js.map'), root),
		// The dev proxy logs each request with its path, so the Worker's own entry is redundant.
		isShown: ({ message, fields }) => message !== 'request' || fields.path !== undefined,
	})
	let apply: (paths: ReadonlySet<string>) => Promise<void> = async () => {}
	const watch = watchSources((paths) => apply(paths))
	const installation = await openInstallation({
		settings,
		out,
		async build() {
			await watch.ready
			await buildAssets()
			await worker.rebuild()
			return worker.directory()
		},
		dev: {
			reload,
			inspectorPort: inspector ? parsePort(inspector, 'INSPECTOR_PORT') : undefined,
			async stop() {
				reload.close()
				await watch.stop()
				await worker.stop()
			},
		},
	})
	apply = createDevLoop({ installation, worker, reload, out, color })
	out.text(renderBanner(settings, installation))
	out.log('info', 'Watching edge/, schema/, transcoder-daemon/ and wrangler.toml')
}
