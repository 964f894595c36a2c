import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openConsole } from '../lib/console/console.ts'
import { createStackMapper } from '../lib/console/stack.ts'
import { explainFailure } from '../lib/installation/failure.ts'
import { printUsage, readSettings, type Settings } from '../lib/installation/settings.ts'
import { root } from '../lib/root.ts'
import { renderBanner } from './banner.ts'
import { openInstallation } from './installation.ts'

try {
	const settings = await readSettings(process.argv.slice(2), process.env)
	if (settings === 'help') console.log(printUsage('npm start'))
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
		mapStack: createStackMapper(() => join(bundle, 'worker.js.map'), root),
	})
	const installation = await openInstallation({
		settings,
		out,
		async build() {
			bundle = await build()
			return bundle
		},
	})
	out.text(renderBanner(settings, installation))
	// Only the start needed the Worker's source and the migrations; an idle process would keep them for hours.
	globalThis.gc?.()
}

/** Builds in a process of its own, which returns its memory. Returns the folder of the Worker's bundle. */
async function build(): Promise<string> {
	const builder = spawn(process.execPath, [join(import.meta.dirname, 'build.ts')], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	const [bundle, [code]] = await Promise.all([text(builder.stdout), once(builder, 'close')])
	// The builder has printed why.
	if (code !== 0) process.exit(1)
	return bundle
}
