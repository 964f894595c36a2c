import type { Operation } from '../kit/operation.ts'

const toPage = 'a browser opens its address'
const toSender = 'only the service that was called before calls it back'
const toUploader = 'part of the TUS protocol, which TUS clients speak'
const toMonitor = 'monitoring systems call it'
const toCalendar = 'calendar apps read its address'

/** Why an operation is not in the SDK. */
const reasonById: ReadonlyMap<string, string> = new Map(
	Object.entries({
		sendBrowserReports: 'browsers send these reports on their own',
		receiveAiCallback: toSender,
		receiveBillingEvent: toSender,
		showUnsubscribePage: toPage,
		unsubscribe: toPage,
		startMemberSignIn: toPage,
		finishMemberSignIn: toPage,
		readCalendarFeed: toCalendar,
		getBackupArchive: 'its address comes from createBackupDownload',
		describeUploads: toUploader,
		describeUpload: toUploader,
		beginUpload: toUploader,
		inspectUpload: toUploader,
		appendUpload: toUploader,
		endUpload: toUploader,
	}),
)

/** Returns why the SDK has no function for an operation, or undefined if it has one. */
export function findLeftOutReason(op: Operation): string | undefined {
	if (op.aliasOf) return `another path of ${op.aliasOf.id}`
	if (op.auth === 'machine' || op.auth === 'registration') return 'only transcoding machines call it'
	if (op.auth === 'metrics') return toMonitor
	return reasonById.get(op.id)
}

/** The operation ids in the list. A test compares them with the contract. */
export const leftOutIds: readonly string[] = [...reasonById.keys()]
