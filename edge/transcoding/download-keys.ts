import { initName, segmentName, type TaskSpec } from '#schema/contract/tasks.ts'
import type { TaskRow } from './claim-store.ts'
import type { JobRow } from './job-store.ts'
import { folderOf, jobFolders } from './places.ts'
import type { Plan } from './plan.ts'

/** Objects of the media bucket that make one rung and the main sound, each beginning with its init segment. */
export function downloadKeys(
	job: Pick<JobRow, 'id' | 'playbackId' | 'assetId' | 'plan'>,
	rows: readonly TaskRow[],
	rung: string,
): { video: string[]; audio: string[] } {
	const { media } = jobFolders(job.playbackId, job.assetId, job.id)
	const done = rows.filter(({ state }) => state === 'done').toSorted((a, b) => a.position - b.position)
	const video: string[] = []
	const audio: string[] = []
	const track = (job.plan as Plan).audioTracks.find(({ isDefault }) => isDefault)?.id
	for (const row of done) {
		const { result } = row
		const folder = `${media}${folderOf(row)}/`
		const add = (to: string[], id: string, first: number, count: number) => {
			if (to.length === 0) to.push(folder + initName(id))
			for (let k = 0; k < count; k++) to.push(folder + segmentName(id, first + k))
		}
		if (result?.kind === 'remux' && result.rung.id === rung) add(video, rung, 0, result.rung.segments.length)
		if (result?.kind === 'video') {
			const made = result.rungs.find(({ id }) => id === rung)
			const spec = row.spec as TaskSpec
			if (made && spec.kind === 'video') add(video, rung, spec.firstSegment, made.segments.length)
		}
		if (result?.kind === 'audio') {
			const sound = result.tracks.find(({ id }) => id === track)
			if (sound) add(audio, sound.id, 0, sound.segments.length)
		}
	}
	return { video, audio }
}
