ALTER TABLE `posts` ADD `topics` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
UPDATE `posts` SET `topics` = (SELECT json_group_array(`tag_id`) FROM (SELECT `tag_id` FROM `post_tags` WHERE `post_id` = `posts`.`id` ORDER BY `tag_id`)) WHERE `id` IN (SELECT `post_id` FROM `post_tags`);--> statement-breakpoint
DROP TABLE `post_tags`;
