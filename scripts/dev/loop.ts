import { existsSync } from 'node:fs'
import type { Console } from '../lib/console/console.ts'
import type { Changes } from '../lib/local-pages/changes.ts'
import { root } from '../lib/root.ts'
import type { Installation } from '../start/installation.ts'
import { findAffectedParts } from './changed.ts'
import { checkDaemon } from './daemon-check.ts'
import { rebuildPages } from './pages.ts'
import { BuildError, type WorkerBundle } from './worker-bundle.ts'

export type LoopParts = {
	installation: Pick<Installation, 'runtime' | 'daemon' | 'migrate'>
	worker: WorkerBundle
	reload: Changes
	out: Console
	color: boolean
}

/**
 * Returns a function that reloads what a set of changed files affects. A build error is printed, and the previous
 * version keeps running.
 */
export function createDevLoop({ installation, worker, reload, out, color }: LoopParts) {
	const { runtime, daemon, migrate } = installation
	/** Whether the last build failed. If so, any changed file triggers a rebuild, because it may fix the error. */
	let isBroken = false

	async function step(part: string, work: () => Promise<boolean>): Promise<void> {
		const startedAt = performance.now()
		try {
			if (await work()) out.log('info', `${part} reloaded`, { ms: Math.round(performance.now() - startedAt) })
		} catch (error) {
			const detail = error instanceof BuildError ? error.message : (error as Error).stack
			out.text(`\n${detail}\n`)
			out.log('error', `${part} not reloaded; the previous version keeps running`)
		}
	}

	async function reloadWorker(isForced: boolean): Promise<boolean> {
		isBroken = true
		const isNew = await worker.rebuild()
		if (isNew || isForced) await replaceWorker()
		isBroken = false
		return isNew || isForced
	}

	async function replaceWorker(): Promise<void> {
		try {
			await runtime.reload(worker.directory())
		} finally {
			// If the reload failed, the previous Worker runs on and needs requests again.
			await migrate().finally(() => runtime.admitRequests())
		}
		await worker.removeOldBundles()
		reload.announce()
	}

	return async (paths: ReadonlySet<string>): Promise<void> => {
		const changed = findAffectedParts(paths, root, worker.has)
		let hasFileListChanged = false
		if (changed.pages)
			await step('Pages', async () => {
				hasFileListChanged = await rebuildPages(paths, existsSync)
				if (!hasFileListChanged) reload.announce()
				return true
			})
		const isForced = changed.config || hasFileListChanged
		if (changed.worker || isForced || isBroken) await step('Worker', () => reloadWorker(isForced))
		if (changed.migrations)
			await step('Migrations', async () => {
				await migrate()
				return false
			})
		if (changed.daemon && daemon)
			await step('Transcoder', async () => {
				await checkDaemon(color)
				await daemon.restart()
				return true
			})
	}
}
