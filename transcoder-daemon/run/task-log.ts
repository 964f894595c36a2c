import type { LeasedTask } from '#schema/contract/video/leases.ts'
import type { TaskResult } from '#schema/contract/video/tasks.ts'
import type { Log } from '../log.ts'

export function toEffortFields(result: TaskResult) {
	const { workSec, mediaSec, hwAccelUsed, notes } = result
	const speed = workSec > 0 && mediaSec > 0 ? roundToHundredth(mediaSec / workSec) : null
	return {
		workSec: roundToHundredth(workSec),
		mediaSec: roundToHundredth(mediaSec),
		speed,
		hwAccelUsed,
		notes: notes.join('; ') || null,
	}
}

export const roundToHundredth = (value: number) => Math.round(value * 100) / 100

/** Returns a log that adds the task, and the trace of its processing, to each entry. */
export function taskLog(log: Log, { id: task, spec: { kind }, traceparent }: LeasedTask): Log {
	const own = { task, kind, ...(traceparent && { traceId: traceparent.split('-')[1] }) }
	return {
		info: (message, fields) => log.info(message, { ...own, ...fields }),
		warn: (message, fields) => log.warn(message, { ...own, ...fields }),
		error: (message, fields) => log.error(message, { ...own, ...fields }),
	}
}
