import type { Operation } from '../kit/operation.ts'

const toPage = 'browsers open its URL'
const toSender = 'only external services call it, as a callback'
const toUploader = 'TUS clients call it'
const toMonitor = 'monitoring systems call it'
const toCalendar = 'calendar apps fetch its URL'

/** Why an operation is not in the SDK. */
const reasonById: ReadonlyMap<string, string> = new Map(
	Object.entries({
		sendBrowserReports: 'browsers send these reports automatically',
		receiveAiCallback: toSender,
		receiveBillingEvent: toSender,
		showUnsubscribePage: toPage,
		unsubscribe: toPage,
		startMemberSignIn: toPage,
		finishMemberSignIn: toPage,
		readCalendarFeed: toCalendar,
		getBackupArchive: 'createBackupDownload returns its URL',
		describeUploads: toUploader,
		describeUpload: toUploader,
		beginUpload: toUploader,
		inspectUpload: toUploader,
		appendUpload: toUploader,
		endUpload: toUploader,
	}),
)

/** Returns why the SDK has no function for an operation, or undefined if it has one. */
export function findOmissionReason(op: Operation): string | undefined {
	if (op.aliasOf) return `an alias of ${op.aliasOf.id}`
	if (op.auth === 'machine' || op.auth === 'registration') return 'only transcoding machines call it'
	if (op.auth === 'metrics') return toMonitor
	return reasonById.get(op.id)
}

/** The operation ids in the list. A test compares them with the contract. */
export const omittedIds: readonly string[] = [...reasonById.keys()]
