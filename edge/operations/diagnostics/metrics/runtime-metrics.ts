import type { Counter, Histogram } from '../../../platform/metrics/metric.ts'

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
/** Anybody can cause a 501, by asking for what is not set up, and a 507 lasts until somebody makes room. */
const apart = ['501', '507'] as const

export const toStatusClass = (status: number) =>
	apart.find((each) => each === String(status)) ?? statusClasses[Math.floor(status / 100) - 1] ?? '5xx'

/** The classes of requests that the installation should have answered. */
export const failedStatuses = ['5xx', '507'] as const

export const requestsAnswered = {
	type: 'counter',
	name: 'playhouse_http_requests_total',
	help: 'Answered requests; `none` stands for paths outside the API.',
	labels: { operation: null, status: [...statusClasses, ...apart] },
} as const satisfies Counter

/** Time stands still in a Worker while it computes, so this is mostly the time that it waits. */
export const requestDuration = {
	type: 'histogram',
	name: 'playhouse_http_request_duration_seconds',
	help: 'Time from a request to the headers of its response, by group of operations.',
	labels: { group: null },
} as const satisfies Histogram

export const messagesHandled = {
	type: 'counter',
	name: 'playhouse_messages_total',
	help: 'Messages of the queues; `given_up` ones became dead letters.',
	labels: { type: null, outcome: ['done', 'failed', 'given_up'] },
} as const satisfies Counter

export const messageWait = {
	type: 'histogram',
	name: 'playhouse_message_wait_seconds',
	help: 'Time from the sending of a message to its first attempt, with any delay that was requested.',
	labels: { queue: null },
} as const satisfies Histogram

export const scheduledRuns = {
	type: 'counter',
	name: 'playhouse_scheduled_runs_total',
	help: 'Runs of scheduled tasks.',
	labels: { task: null, outcome: ['done', 'failed'] },
} as const satisfies Counter

export const runtimeMetrics = [
	requestsAnswered,
	requestDuration,
	messagesHandled,
	messageWait,
	scheduledRuns,
] as const
