import { getMetrics } from '#schema/contract/operations/installation/metrics.ts'
import type { World } from '../../../../support/edge/world.ts'
import { parseMetrics } from '../../../../support/shared/formats/prometheus-text.ts'
import { METRICS_TOKEN } from '../../../../support/shared/variables.ts'

/** Asks for the metrics after the page of the last scrape has expired. */
export async function scrapePage(world: World) {
	world.pass(15_000)
	return world.ask(getMetrics, {}, { token: METRICS_TOKEN })
}

/** Returns the samples of a scrape by series. */
export async function scrape(world: World): Promise<Record<string, number>> {
	const { text, status } = await scrapePage(world)
	if (status !== 200) throw new Error(`${status}: ${text}`)
	return Object.fromEntries(
		parseMetrics(text).flatMap(({ samples }) => samples.map(({ series, value }) => [series, value])),
	)
}
