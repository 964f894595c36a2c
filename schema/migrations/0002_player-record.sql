ALTER TABLE `assets` ADD `placeholder` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `width` integer;--> statement-breakpoint
ALTER TABLE `assets` ADD `height` integer;--> statement-breakpoint
UPDATE `assets` SET (`width`, `height`) = (
	SELECT `renditions`.`width`, `renditions`.`height` FROM `renditions`
	WHERE `renditions`.`asset_id` = `assets`.`id`
	ORDER BY `renditions`.`width` * `renditions`.`height` DESC LIMIT 1
) WHERE `id` IN (SELECT `asset_id` FROM `renditions`);
