import { PEAKS_NAME } from '../../assets/peaks.ts'
import type { TaskOutput } from './task-output.ts'

/** Returns the file with the peaks of audio without video, or null if no machine has measured them. */
export function writePeaksFile(outputs: readonly TaskOutput[]) {
	const peaks = outputs
		.map(({ result }) => (result.kind === 'audio' ? result.peaks : undefined))
		.find((each) => each !== undefined)
	if (peaks === undefined) return null
	const bytes = Uint8Array.from(atob(peaks), (character) => character.charCodeAt(0))
	return { name: PEAKS_NAME, contentType: 'application/json', text: JSON.stringify({ peaks: [...bytes] }) }
}
