import { Cron } from 'croner'

/** What an amount costs: `included` is part of the plan, and each further million costs `perMillion` US$. */
type Rate = { name: string; included: number; perMillion: number }

/** Workers Paid, as published by Cloudflare in November 2026. */
const PLAN_DOLLARS = 5
const rates = {
	requests: { name: 'requests and scheduled runs', included: 10_000_000, perMillion: 0.3 },
	cpuMs: { name: 'ms of CPU time', included: 30_000_000, perMillion: 0.02 },
	rowsRead: { name: 'rows read in D1', included: 25_000_000_000, perMillion: 0.001 },
	rowsWritten: { name: 'rows written in D1', included: 50_000_000, perMillion: 1 },
	queueOperations: { name: 'operations of queues', included: 1_000_000, perMillion: 0.4 },
} satisfies Record<string, Rate>

/** The maximum cost of an idle scheduled run. A generous assumption, not measured on Cloudflare. */
const perRun = { requests: 1, cpuMs: 50, rowsRead: 1_000, rowsWritten: 5, queueOperations: 0 }

const DAYS = 30

export type Price = {
	lines: { name: string; amount: number; included: number; dollars: number }[]
	dollars: number
}

export const countRunsPerMonth = (crons: readonly string[]): number =>
	crons.reduce((sum, cron) => sum + DAYS * runsPerDay(cron), 0)

/**
 * Returns the monthly price without any request, from scheduled tasks alone. Storage is free below 5 GB and 10 GB.
 */
export function computeIdlePrice(runs: number): Price {
	const lines = Object.entries(rates).map(([kind, { name, included, perMillion }]) => {
		const amount = runs * perRun[kind as keyof typeof rates]
		return { name, amount, included, dollars: (Math.max(0, amount - included) / 1_000_000) * perMillion }
	})
	return { lines, dollars: lines.reduce((sum, { dollars }) => sum + dollars, PLAN_DOLLARS) }
}

/** Counts the runs of one day. No expression of ours names a weekday. */
function runsPerDay(expression: string): number {
	const cron = new Cron(expression, { timezone: 'UTC', alternativeWeekdays: true, paused: true })
	const start = Date.UTC(2026, 0, 1)
	let runs = 0
	for (let minute = 0; minute < 1_440; minute++) if (cron.match(new Date(start + minute * 60_000))) runs++
	return runs
}

export function printPrice({ lines, dollars }: Price): string[] {
	const number = (value: number) => Math.round(value).toLocaleString('en-US')
	return [
		`$${PLAN_DOLLARS.toFixed(2)} Workers Paid, which the CPU time of passwords requires`,
		...lines.map(
			(line) =>
				`$${line.dollars.toFixed(2)} ${number(line.amount)} ${line.name}, ${number(line.included)} included`,
		),
		'$0.00 storage: 5 GB in D1 and 10 GB in R2 are included',
		`$${dollars.toFixed(2)} together; what viewers and machines add is in docs/watch/analytics-cost.md`,
	]
}
