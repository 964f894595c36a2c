export * from './account-deletion.ts'
export * from './fleet.ts'
export * from './identity.ts'
export * from './platform.ts'
