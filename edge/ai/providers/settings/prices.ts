import type { aiEngines } from '#schema/tables/ai/providers.ts'

type EngineRow = typeof aiEngines.$inferSelect
type Prices = Pick<EngineRow, 'pricePerMinuteMicros' | 'inputPriceMicros' | 'outputPriceMicros'>

/** The prices without which the cost of a call is unknown. */
const needed = {
	transcription: ['pricePerMinuteMicros'],
	'language-model': ['inputPriceMicros', 'outputPriceMicros'],
} as const satisfies Record<EngineRow['purpose'], readonly (keyof Prices)[]>

const fields = { transcription: 'transcription', 'language-model': 'languageModel' } as const

/** Lists the price settings that an engine lacks. */
export const listMissingPrices = (row: Prices & Pick<EngineRow, 'purpose'>): string[] =>
	needed[row.purpose].filter((price) => row[price] === null).map((price) => `${fields[row.purpose]}.${price}`)
