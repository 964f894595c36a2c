import type { TaskKind, TaskSpec } from '#schema/contract/video/tasks.ts'
import { newId } from '../../../platform/database/ids.ts'
import type { AssetRow } from '../../assets/store.ts'
import { computeTaskDeadlineSec, computeTaskWeight } from '../plan/deadlines.ts'
import { chooseTaskLane } from '../plan/lanes.ts'
import type { NewTask } from '../store/task-store.ts'

type Sourced = Pick<AssetRow, 'id' | 'sourceEtag' | 'sourceSizeBytes'>

/** Identifies one version of a source; machines cache downloads under it. */
export const formatSourceVersionId = ({ id, sourceEtag }: Sourced): string =>
	`${id}-${(sourceEtag ?? '').replaceAll(/[^0-9A-Za-z_-]/g, '_')}`.slice(0, 100)

const withoutSource: readonly TaskKind[] = ['fetch', 'download', 'transcribe', 'clip', 'poster']
const readsSource = ({ kind }: TaskSpec): boolean => !withoutSource.includes(kind)

export function newTask(
	asset: Sourced,
	{ spec, index, rank }: { spec: TaskSpec; index: number; rank: number },
	durationSec: number,
	now: number,
	lane = chooseTaskLane(spec),
): NewTask {
	const sourceBytes = readsSource(spec) ? (asset.sourceSizeBytes ?? 0) : 0
	return {
		id: newId('tsk', now),
		kind: spec.kind,
		position: index,
		rank,
		lane,
		sourceId: readsSource(spec) ? formatSourceVersionId(asset) : null,
		deadlineSec: computeTaskDeadlineSec(spec, sourceBytes, durationSec),
		weight: computeTaskWeight(spec, durationSec),
		spec,
	}
}
