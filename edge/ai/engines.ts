import { OFFLINE_AFTER_MS } from '../fleet/machines.ts'
import { DAY } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { type SpeechMachine, speechStore } from '../transcoding/store/speech-store.ts'

/** Covers machines that are off overnight. */
const MACHINE_LOOKBACK_MS = DAY

/** Lists the speech engines of the machines that work for this installation. */
export const listSpeechEngines = ({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<SpeechMachine[]> =>
	speechStore(db).listEngines(now - MACHINE_LOOKBACK_MS, now - OFFLINE_AFTER_MS)
