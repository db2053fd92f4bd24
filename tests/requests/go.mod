module requests

go 1.25
