import { formatInitName, formatSegmentName } from '#schema/contract/video/tasks.ts'
import type { JobRow } from '../store/job-store.ts'
import { formatLeaseFolder, listJobFolders } from '../store/output-folders.ts'
import type { TaskRow } from '../store/task-row.ts'

/** Returns the media objects of one rung and of the default audio track, each starting with its init segment. */
export function listDownloadKeys(
	job: Pick<JobRow, 'id' | 'playbackId' | 'assetId' | 'plan'>,
	rows: readonly TaskRow[],
	rung: string,
): { video: string[]; audio: string[] } {
	const { media } = listJobFolders(job.playbackId, job.assetId, job.id)
	const done = rows.filter(({ state }) => state === 'done').toSorted((a, b) => a.position - b.position)
	const video: string[] = []
	const audio: string[] = []
	const track = job.plan?.audioTracks.find(({ isDefault }) => isDefault)?.id
	for (const row of done) {
		const { result } = row
		const folder = `${media}${formatLeaseFolder(row)}/`
		const add = (to: string[], id: string, first: number, count: number) => {
			if (to.length === 0) to.push(folder + formatInitName(id))
			for (let k = 0; k < count; k++) to.push(folder + formatSegmentName(id, first + k))
		}
		if (result?.kind === 'remux' && result.rung.id === rung) add(video, rung, 0, result.rung.segments.length)
		if (result?.kind === 'video') {
			const output = result.rungs.find(({ id }) => id === rung)
			const { spec } = row
			if (output && spec.kind === 'video') add(video, rung, spec.firstSegment, output.segments.length)
		}
		if (result?.kind === 'audio') {
			const output = result.tracks.find(({ id }) => id === track)
			if (output) add(audio, output.id, 0, output.segments.length)
		}
	}
	return { video, audio }
}
