import { z } from 'zod'

/** The file with the peaks of audio without video, in the folder of the master playlist. */
export const PEAKS_NAME = 'peaks.json'

const Peaks = z.object({ peaks: z.array(z.int().min(0).max(255)) })

/** Returns the peaks in a file, from 0 to 255; null for an invalid file. */
export const parsePeaks = (text: string): number[] | null => {
	try {
		return Peaks.safeParse(JSON.parse(text)).data?.peaks ?? null
	} catch {
		return null
	}
}
