import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SourcelessWorkerOptions } from 'wrangler'

/** Written by scripts/prove/upgrade. */
export type NextRelease = {
	/** The path of the Worker's bundle. */
	script: string
	options: SourcelessWorkerOptions
	/** What the next release takes over while both run. */
	part: 'queues' | 'requests'
}

/** The variable with the path of a file that holds a `NextRelease` as JSON. */
export const NEXT_RELEASE = 'PLAYHOUSE_NEXT_RELEASE'

type Module = { type: 'ESModule'; path: string; contents?: string }
type Worker = SourcelessWorkerOptions & { name: string; modules: Module[]; modulesRoot: string }

/**
 * Returns the Workers to start, and the name of the one that answers requests. While an upgrade is proved, the Worker of the
 * next release runs beside this one on the same database, buckets, Durable Objects and queues: it takes either all messages
 * or all requests. Cloudflare deploys gradually in the same way. Only the next release has its new queues and classes.
 */
export async function findBesideNextRelease<W extends Worker>(
	own: W,
): Promise<{ workers: W[]; answering: string }> {
	const next = await readNextRelease()
	if (!next) return { workers: [own], answering: own.name }
	const worker = nextWorker(own, next)
	return next.part === 'queues'
		? { workers: [withoutConsumers(own), worker], answering: own.name }
		: { workers: [own, withoutConsumers(worker, own)], answering: worker.name }
}

/** Returns the release that runs beside this one, or nothing where no upgrade is being proved. */
export async function readNextRelease(): Promise<NextRelease | undefined> {
	const file = process.env[NEXT_RELEASE]
	return file ? JSON.parse(await readFile(file, 'utf8')) : undefined
}

function nextWorker<W extends Worker>(own: W, { script, options }: NextRelease): W {
	const { assets: _, ...configured } = options
	const ownClasses = Object.values(objectsOf(own)).map(({ className }) => className)
	const objects = Object.entries(objectsOf(options)).map(([binding, object]) => [
		binding,
		ownClasses.includes(object.className) ? { ...object, scriptName: own.name } : object,
	])
	const folder = dirname(script)
	return {
		...own,
		...configured,
		name: 'next-release',
		bindings: { ...(options.bindings as object), ...(own.bindings as object) },
		serviceBindings: own.serviceBindings,
		// Some tests shorten the waits of queues.
		queueConsumers: { ...consumersOf(options), ...consumersOf(own) },
		durableObjects: Object.fromEntries(objects),
		// A module without contents is the bundle; others wrap it.
		modules: own.modules.map((module) => ({
			...module,
			path: module.contents === undefined ? script : join(folder, basename(module.path)),
		})),
		modulesRoot: folder,
	}
}

const objectsOf = ({ durableObjects }: SourcelessWorkerOptions) =>
	(durableObjects ?? {}) as Record<string, { className: string }>

const consumersOf = ({ queueConsumers }: SourcelessWorkerOptions) =>
	(queueConsumers ?? {}) as Record<string, object>

/** Removes the queues that another Worker consumes; without another one, all of them. */
function withoutConsumers<W extends Worker>(worker: W, other: W = worker): W {
	const known = consumersOf(other)
	const queueConsumers = Object.entries(consumersOf(worker)).filter(([queue]) => !Object.hasOwn(known, queue))
	return { ...worker, queueConsumers: Object.fromEntries(queueConsumers) }
}
