import worker from '../../../../edge/worker.ts'

export * from '../../../../edge/worker.ts'

/** The Worker, with a queue that hands over every message twice. */
export default {
	...worker,
	async queue(...args: Parameters<typeof worker.queue>) {
		await worker.queue(...args)
		await worker.queue(...args)
	},
}
