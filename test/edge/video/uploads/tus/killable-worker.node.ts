import { listWorkerdPids } from '../../../../../scripts/bench/lib/workerd.ts'
import { startWorker } from '../../../../support/shared/miniflare-worker.ts'

/** Starts a Worker and returns the process id of its workerd. */
export async function startKillable(persistTo: string) {
	const before = new Set(await listWorkerdPids())
	const worker = await startWorker({ persistTo })
	const [pid] = (await listWorkerdPids()).filter((id) => !before.has(id))
	if (pid === undefined) throw new Error('no workerd was started')
	return { ...worker, pid }
}
