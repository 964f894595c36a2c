import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { OFFLINE_AFTER_MS } from '../../fleet/machines.ts'
import { speechStore } from '../store/speech-store.ts'

/** Covers machines that are off overnight. */
const MACHINE_LOOKBACK_MS = DAY

export type SpeechMachine = Awaited<ReturnType<typeof listSpeechEngines>>[number]

/** Lists the speech engines of the machines that work for this installation. */
export const listSpeechEngines = ({ db, now }: Pick<Deps, 'db' | 'now'>) =>
	speechStore(db).listEngines(now - MACHINE_LOOKBACK_MS, now - OFFLINE_AFTER_MS)
