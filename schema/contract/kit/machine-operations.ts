/** Whether only machines call an operation. Operations are made with this file, so it can't import their type. */
export const isMachineOperation = ({ auth }: { auth: string }): boolean =>
	auth === 'machine' || auth === 'registration'
