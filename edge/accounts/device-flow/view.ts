import type { DeviceRequest } from '#schema/contract/accounts/device-flow.ts'
import { toIso } from '../../platform/clock.ts'
import { toPlace } from '../../platform/network/place.ts'
import { isSameNetwork } from '../../platform/network/same-network.ts'
import type { DeviceRequestRow } from './store.ts'

export const viewRequest = (row: DeviceRequestRow, viewerIp: string): DeviceRequest => ({
	clientId: row.clientId,
	deviceName: row.deviceName,
	scopes: row.scopes,
	place: toPlace(row),
	sameNetwork: isSameNetwork(row.ip, viewerIp),
	createdAt: toIso(row.createdAt),
	expiresAt: toIso(row.expiresAt),
})
