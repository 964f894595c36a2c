import { chooseSpeechLane, PROVIDER_LANE } from '../../video/transcoding/plan/lanes.ts'
import type { SpeechMachine } from '../../video/transcoding/speech/speech-engines.ts'
import type { ChosenEngine } from '../../video/transcoding/speech/speech-tasks.ts'

const ANY = '*'
const primary = (language: string): string => language.split('-')[0] ?? language

/** Prefers a machine over a provider, which costs money. With a provider, never waits for an offline machine. */
export function chooseRecognizer(
	machines: readonly SpeechMachine[],
	provider: string | null,
	language: string | null,
): ChosenEngine | null {
	if (provider === null) return chooseEngine(machines, language)
	const online = machines.filter(({ isOnline }) => isOnline)
	return chooseEngine(online, language) ?? { engine: provider, lane: PROVIDER_LANE, language }
}

/**
 * Chooses one engine for a whole video, so that its text does not depend on which machine gets which chunk. Prefers
 * online machines, then faster engines, and without a known language engines that detect it.
 */
function chooseEngine(machines: readonly SpeechMachine[], language: string | null): ChosenEngine | null {
	const options = machines.flatMap(({ engine, languages, realTimeFactor, isOnline }) => {
		const found = laneFor(languages, language)
		return found ? [{ engine, ...found, realTimeFactor, isOnline }] : []
	})
	const [best] = options.toSorted(
		(a, b) =>
			Number(language === null && b.laneLanguage === ANY) -
				Number(language === null && a.laneLanguage === ANY) ||
			Number(b.isOnline) - Number(a.isOnline) ||
			a.realTimeFactor - b.realTimeFactor ||
			(a.engine < b.engine ? -1 : 1),
	)
	return best
		? {
				...{ engine: best.engine, language: best.language },
				lane: chooseSpeechLane(best.engine, best.laneLanguage),
			}
		: null
}

function laneFor(
	languages: readonly string[],
	language: string | null,
): { laneLanguage: string; language: string | null } | null {
	if (languages.includes(ANY)) return { laneLanguage: ANY, language }
	const known =
		language === null
			? languages.length === 1
				? languages[0]
				: undefined
			: (languages.find((each) => each === language) ??
				languages.find((each) => primary(each) === primary(language)))
	return known === undefined ? null : { laneLanguage: known, language: language ?? known }
}
