Gem::Specification.new do |spec|
  spec.name = 'platen-client'
  spec.version = '0.1.0'
  spec.summary = 'Buys and prints shipping labels on a platen print server'
  spec.authors = ['platen']
  spec.license = 'MIT'
  spec.files = ['lib/platen_client.rb', 'README.md']
  spec.required_ruby_version = '>= 2.7'
end
