import { describeOperations } from '../../kit/operation.ts'

const operation = describeOperations('Diagnostics')

export const getMetrics = operation({
	id: 'getMetrics',
	method: 'get',
	path: '/metrics',
	summary: 'Get the metrics of the installation for Prometheus',
	description:
		'In the text format 0.0.4. The answer is the same for 15 seconds. Counters cover all requests of the installation up to about 10 seconds ago.',
	auth: 'metrics',
	answersWith: 'text/plain; version=0.0.4; charset=utf-8',
})
