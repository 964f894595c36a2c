import { getTranscript } from '#schema/contract/ai/transcripts.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aSmallFilm } from '../../../video/transcoding/sources.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'
import { openProviderWorld } from '../../providers/provider.ts'

export const sentences = ['Bread needs flour and water.', 'Then it rests for an hour.'] as const
const spoken = [
	{ fromMs: 1_000, toMs: 9_000, text: '' },
	{ fromMs: 12_000, toMs: 20_000, text: '' },
]

/** Returns the words of a sentence in eight seconds. */
export const timeWords = (sentence: string) => {
	const words = sentence.split(' ')
	const each = 8 / words.length
	return words.map((word, at) => ({ word, start: at * each, end: (at + 1) * each }))
}

/** What OpenAI and Groq answer: full names of languages, words beside the segments. */
export const openAiAnswer = (sentence: string) => ({
	...{ task: 'transcribe', language: 'english', duration: 8, text: sentence },
	segments: [{ id: 0, start: 0, end: 8, text: ` ${sentence}`, avg_logprob: -0.2 }],
	words: timeWords(sentence),
})

/** A studio whose machine finds speech in two chunks, and has no engine; a provider answers with the sentences. */
export async function openProviderStudio(vars: Record<string, string> = {}) {
	const provider = await openProviderWorld(vars)
	const { world, ada } = provider
	let next = 0
	provider.alwaysReply(() => Response.json(openAiAnswer(sentences[next++ % 2] ?? '')))
	const machine = await openMachine(world, { info: aSmallFilm(30), spoken }, 'deaf')
	const studio = openStudio(world, ada)

	/** Plans, chunks and their text follow each other. */
	async function work(rounds = 4) {
		for (let round = 0; round < rounds; round++) {
			await machine.drain()
			await world.deliver()
		}
	}
	/** Cron each minute, with what follows from it. */
	async function minutes(count: number) {
		for (let i = 0; i < count; i++) {
			world.pass(60_000)
			await world.cron('* * * * *')
			await world.deliver()
			await world.deliver()
		}
	}
	return {
		...{ ...provider, studio, machine, work, minutes },
		async process() {
			const { assetId } = await studio.upload()
			await studio.start(assetId)
			return assetId
		},
		readTranscript: async (assetId: string) =>
			(await world.ask(getTranscript, { params: { assetId } }, ada)).ok.data.transcript.segments.map(
				({ start, end, text }) => ({ start, end, text }),
			),
		steps: async (assetId: string) => (await studio.asset(assetId)).aiJob,
	}
}

export const bothSentences = [
	{ start: 1, end: 9, text: sentences[0] },
	{ start: 12, end: 20, text: sentences[1] },
]
