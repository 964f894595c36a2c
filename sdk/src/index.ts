export { call } from './call.ts'
export { type Client, type ClientOptions, type Credential, createClient } from './client.ts'
export {
	AuthenticationError,
	CanceledError,
	ConflictError,
	ConnectionError,
	InvalidRequestError,
	NotFoundError,
	PermissionError,
	PlayhouseError,
	RateLimitError,
	ServerError,
	TimeoutError,
	UnexpectedResponseError,
	UnreadableSourceError,
} from './errors.ts'
export { readEventStream, type ServerSentEvent } from './event-stream.ts'
export type { ErrorCode } from './generated/error-codes.ts'
export * from './generated/operations.ts'
export { type Checkpoint, type ConsumeOptions, consumeEvents } from './helpers/consume-events.ts'
export { renewMemberToken } from './helpers/renew-member-token.ts'
export {
	type SendOptions,
	sendFile,
	type UploadProgress,
	type UploadState,
} from './helpers/send-file.ts'
export { unwrapWebhook, WebhookVerificationError } from './helpers/unwrap-webhook.ts'
export type { UploadSource } from './helpers/upload-source.ts'
export {
	ProcessingError,
	type Progress,
	type WaitOptions,
	waitUntilReady,
} from './helpers/wait-until-ready.ts'
export type { Call, CallOptions, FileBody, Operation, WithResponse } from './operation.ts'
export { Playhouse } from './playhouse.ts'
