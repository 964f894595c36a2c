import { sql } from 'drizzle-orm'
import { mediaPrefix, sourcePrefix } from '../../assets/storage-keys.ts'

/** Returns the folder of one lease. Late writes of an older epoch go to another folder and are never read. */
export const formatLeaseFolder = ({ id, epoch }: { id: string; epoch: number }): string => `${id}-${epoch}`

/** Returns the folder of a job in each bucket. */
export const listJobFolders = (playbackId: string, assetId: string, jobId: string) => ({
	media: `${mediaPrefix(playbackId)}${jobId}/`,
	vault: `${sourcePrefix(assetId)}${jobId}/`,
})

/** Returns the folder of the clips of a video. */
export const clipsFolder = (playbackId: string): string => `${mediaPrefix(playbackId)}highlights/`

/** The same folders as SQL, for jobs selected as `job`. A fetched source lies in `source`, as it outlives its job. */
export const foldersOfJob = {
	media: sql.raw(`'${mediaPrefix("' || job.playback_id || '")}' || job.id || '/'`),
	vault: sql.raw(`'${sourcePrefix("' || job.asset_id || '")}' || job.id || '/'`),
	source: sql.raw(`'${sourcePrefix("' || job.asset_id || '")}'`),
}
