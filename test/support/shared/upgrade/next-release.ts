import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
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
export const NEXT_RELEASE = 'NEXT_RELEASE'

type WorkerOptions = SourcelessWorkerOptions & {
	name?: string
	modules: { type: 'ESModule'; path: string }[]
	modulesRoot: string
}

const OWN = 'this-release'

/**
 * Returns the Workers to start, of which the first answers requests. While an upgrade is proved, the Worker of the next
 * release runs beside this one on the same database, buckets, Durable Objects and queues: it takes either all messages or
 * all requests. Cloudflare deploys gradually in the same way.
 */
export async function besideNextRelease(own: WorkerOptions): Promise<{ workers: WorkerOptions[] }> {
	const file = process.env[NEXT_RELEASE]
	if (!file) return { workers: [own] }
	const { script, options, part }: NextRelease = JSON.parse(await readFile(file, 'utf8'))
	const objects = Object.entries((options.durableObjects ?? {}) as Record<string, object>)
	const next = {
		...options,
		name: 'next-release',
		bindings: { ...(options.bindings as object), ...(own.bindings as object) },
		serviceBindings: own.serviceBindings,
		durableObjects: Object.fromEntries(
			objects.map(([binding, object]) => [binding, { ...object, scriptName: OWN }]),
		),
		modules: [{ type: 'ESModule', path: script }],
		modulesRoot: dirname(script),
	} as WorkerOptions
	const named = { ...own, name: OWN }
	return part === 'queues'
		? { workers: [withoutConsumers(named), { ...next, queueConsumers: own.queueConsumers }] }
		: { workers: [withoutConsumers(next), named] }
}

const withoutConsumers = ({ queueConsumers: _, ...options }: WorkerOptions) => options as WorkerOptions
