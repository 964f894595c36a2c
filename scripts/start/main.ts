import { join } from 'node:path'
import { buildAssets } from '../lib/assets.ts'
import { openConsole } from '../lib/console/console.ts'
import { stackMapper } from '../lib/console/stack.ts'
import { bundleWorker } from '../lib/runtime/bundle.ts'
import { banner } from './banner.ts'
import { explainFailure } from './failure.ts'
import { openInstallation } from './installation.ts'
import { readSettings, root, type Settings, usage } from './settings.ts'

try {
	const settings = await readSettings(process.argv.slice(2), process.env)
	if (settings === 'help') console.log(usage('npm start'))
	else await start(settings)
} catch (error) {
	console.error(explainFailure(error) ?? error)
	process.exit(1)
}

async function start(settings: Settings): Promise<void> {
	let bundle = ''
	const out = openConsole({
		...settings.log,
		write: (line) => console.log(line),
		mapStack: stackMapper(() => join(bundle, 'worker.js.map'), root),
	})
	const installation = await openInstallation({
		settings,
		out,
		async build() {
			await buildAssets()
			bundle = await bundleWorker()
			return bundle
		},
	})
	out.text(banner(settings, installation))
}
