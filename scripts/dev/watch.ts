import { join } from 'node:path'
import chokidar from 'chokidar'
import { root } from '../lib/root.ts'

/** Time to collect changes: editors write a file in several steps, and a checkout changes many files. */
const QUIET_MS = 40

const watched = ['edge', 'schema', 'transcoder-daemon', 'wrangler.toml']
const built = join(root, 'edge', 'web', 'public')

/** Calls `apply` with the changed paths, one batch at a time. Changes during a batch go into the next one. */
export function watchSources(apply: (paths: ReadonlySet<string>) => Promise<void>): {
	ready: Promise<void>
	stop(): Promise<void>
} {
	let paths = new Set<string>()
	let timer: NodeJS.Timeout | undefined
	let running: Promise<void> = Promise.resolve()
	const applyNext = () => {
		running = running.then(async () => {
			if (paths.size === 0) return
			const batch = paths
			paths = new Set()
			await apply(batch)
		})
	}
	const watcher = chokidar.watch(
		watched.map((name) => join(root, name)),
		{ ignoreInitial: true, ignored: (path) => path.startsWith(built) },
	)
	watcher.on('all', (event, path) => {
		if (event === 'addDir' || event === 'unlinkDir') return
		paths.add(path)
		clearTimeout(timer)
		timer = setTimeout(applyNext, QUIET_MS)
	})
	const ready = new Promise<void>((resolve) => watcher.once('ready', resolve))
	return {
		ready,
		async stop() {
			clearTimeout(timer)
			paths.clear()
			await watcher.close()
			await running
		},
	}
}
